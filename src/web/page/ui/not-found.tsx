import { link } from '../address/base.ts'
import { LinkButton } from './button.tsx'
import { EmptyPage } from './page.tsx'

export function NotFound() {
  return (
    <EmptyPage icon="circle-question-mark" title="There is no such page">
      <p>The address may be mistyped, or what it named may have been deleted.</p>
      <LinkButton icon="layout-dashboard" href={link('/')}>
        Overview
      </LinkButton>
    </EmptyPage>
  )
}
