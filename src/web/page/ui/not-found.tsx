import { link } from '../address/base.ts'
import { LinkButton } from './button.tsx'
import { Empty } from './read.tsx'
import { useTitle } from './title.ts'

const title = 'There is no such page'

export function NotFound() {
  useTitle(title)
  return (
    <Empty icon="circle-question-mark" title={title} isPage>
      <p>The address may be mistyped, or what it named may have been deleted.</p>
      <LinkButton icon="layout-dashboard" href={link('/')}>
        Overview
      </LinkButton>
    </Empty>
  )
}
