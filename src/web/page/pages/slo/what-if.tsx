import { useState } from 'preact/hooks'
import type { Budget, Slo } from '../../api/types.ts'
import { chunk } from '../../ui/chunk.tsx'

const Tried = chunk(async () => (await import('./what-if-tried.tsx')).WhatIfTried, 96)

/** Effect of another target or window, read when it is opened. */
export function WhatIf({ slo, budget }: { slo: Slo; budget: Budget }) {
  const [isOpen, setOpen] = useState(false)
  if (budget.sli === null) return null
  return (
    <details class="card" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>What if the target or the window were another</summary>
      {isOpen && <Tried slo={slo} budget={budget} />}
    </details>
  )
}
