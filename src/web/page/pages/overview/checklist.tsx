import { useState } from 'preact/hooks'
import { isDemo } from '../../api/page-settings.ts'
import { whyNot } from '../../api/rights.ts'
import { me } from '../../api/session.ts'
import type { OverviewSlo } from '../../api/types.ts'
import { chunk } from '../../ui/chunk.tsx'

const Steps = chunk(async () => (await import('./steps.tsx')).Steps, null)

/** First steps of an administrator, until they are done or closed; hidden in the demo, which needs no setup. */
export function Checklist({ slos }: { slos: OverviewSlo[] }) {
  const key = `nines.checklist.${me.value?.id}`
  const [isClosed, setClosed] = useState(() => localStorage.getItem(key) !== null)
  if (isDemo || isClosed || whyNot('administer')) return null
  const close = () => {
    localStorage.setItem(key, 'closed')
    setClosed(true)
  }
  return <Steps slos={slos} onClose={close} />
}
