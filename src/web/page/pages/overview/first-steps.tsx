import { link } from '../../base.ts'
import { LinkButton } from '../../ui/button.tsx'
import { Empty } from '../../ui/states.tsx'

/** Until there is an SLO. */
export function FirstSteps() {
  return (
    <Empty icon="target" title="No SLO yet">
      <p>An SLO says how much of what a service does must succeed.</p>
      <LinkButton kind="primary" icon="plus" href={link('/slos/new')}>
        New SLO
      </LinkButton>
    </Empty>
  )
}
