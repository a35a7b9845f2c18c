import type { ComponentChildren } from 'preact'

/** Row of a list of facts (`dl.facts`). */
export function Fact({ label, value }: { label: string; value: ComponentChildren }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{value}</dd>
    </div>
  )
}
