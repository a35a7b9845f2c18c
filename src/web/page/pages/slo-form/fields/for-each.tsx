import type { ApiProblem } from '../../../api/client.ts'
import type { Form } from '../form-state.ts'
import { Segments } from '../kinds/segments.tsx'
import { eachLabel, groupedSentence, severalLabel } from '../words.ts'

/** Values of a label that a query measures together; `count` of them were found, of which `values` can get an SLO each. */
export type Grouped = { label: string; values: readonly string[]; count: number }

/** Values that the query of a draft measures together, by the problems of its preview; null: there are none. */
export function groupedBy(problems: readonly ApiProblem[]): Grouped | null {
  const params = problems.find(({ code }) => code === 'several_series_by')?.params
  const { label, values, count } = params ?? {}
  if (typeof label !== 'string' || !Array.isArray(values) || typeof count !== 'number') return null
  return { label, values, count }
}

/** Values that get an SLO each, as the draft chooses; null: it is one SLO. */
export function chosenValues({ forEach }: { forEach: string | null }, grouped: Grouped | null): Grouped | null {
  return grouped && grouped.label === forEach ? grouped : null
}

/** Choice between one SLO over all values of a label and one for each. */
export function ForEach({ form: { draft, change }, grouped }: { form: Form; grouped: Grouped | null }) {
  if (!grouped) return null
  const { label, count } = grouped
  const isEach = chosenValues(draft, grouped) !== null
  return (
    <div class="control-group for-each">
      <Segments
        label={severalLabel(label)}
        isLabelShown
        value={isEach ? 'each' : 'all'}
        of={{ all: 'One SLO over all of them', each: eachLabel(label, count) }}
        onChange={(value) => change({ forEach: value === 'each' ? label : null })}
      />
      <p class="hint">{groupedSentence(grouped, isEach)}</p>
    </div>
  )
}
