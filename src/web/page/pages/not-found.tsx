import { link } from '../base.ts'
import { LinkButton } from '../ui/button.tsx'
import { Empty } from '../ui/states.tsx'

export function NotFound() {
  return (
    <Empty icon="circle-question-mark" title="There is no such page">
      <p>The address may be mistyped, or what it named may have been deleted.</p>
      <LinkButton icon="layout-dashboard" href={link('/')}>
        Overview
      </LinkButton>
    </Empty>
  )
}
