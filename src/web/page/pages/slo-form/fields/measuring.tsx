import type { ComponentChildren } from 'preact'
import { Field } from '../../../ui/form/field.tsx'
import type { Draft } from '../draft.ts'
import type { Form } from '../form-state.ts'
import { metricTypeOf } from '../picks/picks.ts'

const units = { auto: 'found out by itself', ratio: 'a ratio, 0 to 1', percent: 'percent, 0 to 100' }
const methods = {
  auto: 'found out by itself',
  widen: 'the ranges of the query become the window',
  mean: 'the mean of the values over the window',
}
const types = { availability: 'availability', latency: 'latency', throughput: 'throughput' }

/** Settings that are rarely needed; open if the unit or the method is set, or any has a problem. */
export function Measuring({ form }: { form: Form }) {
  const { draft, change, problemsAt } = form
  const metricType = draft.metricType ?? metricTypeOf(draft.kind)
  const hasProblem = problemsAt('query_unit', 'window_method', 'metric_type') !== undefined
  const isOpen = draft.queryUnit !== 'auto' || draft.windowMethod !== 'auto' || hasProblem
  return (
    <details open={isOpen}>
      <summary>How the query is read</summary>
      <div class="triple grid">
        <Choice
          label="Its value is"
          of={units}
          value={draft.queryUnit}
          problem={problemsAt('query_unit')}
          onChange={(queryUnit) => change({ queryUnit })}
        />
        <Choice
          label="Over a window"
          of={methods}
          value={draft.windowMethod}
          problem={problemsAt('window_method')}
          onChange={(windowMethod) => change({ windowMethod })}
        />
        <Choice
          label="It is listed as"
          of={types}
          value={metricType}
          problem={problemsAt('metric_type')}
          onChange={(metricType) => change({ metricType })}
        />
      </div>
    </details>
  )
}

function Choice(props: {
  label: string
  of: Record<string, string>
  value: Draft['queryUnit']
  problem: ComponentChildren
  onChange: (value: string) => void
}) {
  return (
    <Field label={props.label} problem={props.problem}>
      {(ids) => (
        <select
          {...ids}
          class="input"
          value={props.value}
          onChange={(event) => props.onChange(event.currentTarget.value)}
        >
          {Object.entries(props.of).map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}
