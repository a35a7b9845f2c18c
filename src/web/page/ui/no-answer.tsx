import { wake } from '../api/connection.ts'
import { words } from '../words.ts'
import { Button } from './button.tsx'
import { EmptyPage } from './page.tsx'

/** Page in place of one that was opened while the server does not answer. */
export function NoAnswer() {
  return (
    <EmptyPage icon="wifi-off" title={words.noAnswer}>
      <p>The page tries again by itself, and goes on where it was.</p>
      <Button icon="refresh-cw" onClick={wake}>
        {words.retry}
      </Button>
    </EmptyPage>
  )
}
