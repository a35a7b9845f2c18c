import { wake } from '../api/connection.ts'
import { words } from '../words.ts'
import { Button } from './button.tsx'
import { Empty } from './read.tsx'
import { useTitle } from './title.ts'

/** Page in place of one that was opened while the server does not answer. */
export function NoAnswer() {
  useTitle(words.noAnswer)
  return (
    <Empty icon="wifi-off" title={words.noAnswer} isPage>
      <p>The page tries again by itself, and goes on where it was.</p>
      <Button icon="refresh-cw" onClick={wake}>
        {words.retry}
      </Button>
    </Empty>
  )
}
