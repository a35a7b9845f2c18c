import { useEffect, useRef } from 'preact/hooks'
import { IconButton } from '../../../ui/button.tsx'
import type { ProblemAttributes } from '../../../ui/form/field.tsx'
import { Picker } from './picker.tsx'
import { type Filter, type Operator, operators } from './promql.ts'
import { labelNamesPath, labelValuesPath, type Selected } from './source-api.ts'
import { addLabelLabel, operatorLabel, removeFilterLabel, valueLabel } from './words.ts'

const operatorWords: Record<Operator, string> = {
  '=': 'is',
  '!=': 'is not',
  '=~': 'matches',
  '!~': 'does not match',
}

type Props = {
  /** Name of the filtered set, as in "Filters of the total". */
  label: string
  sourceId: number
  /** Selector to filter, without these filters. */
  of: Selected
  filters: readonly Filter[]
  onChange: (filters: Filter[]) => void
  /** Operator of a new filter. */
  defaultOperator?: Operator
  /** Labels that are chosen elsewhere and not offered. */
  except?: readonly string[]
  /** Attributes of the values if they have a problem. */
  invalid?: ProblemAttributes
}

/** Label matchers as chips. Label, operator and value can be chosen by keyboard, and each matcher can be removed. */
export function Filters({
  label,
  sourceId,
  of,
  filters,
  onChange,
  defaultOperator = '=',
  except = [],
  invalid,
}: Props) {
  const list = useRef<HTMLUListElement>(null)
  const wasAdded = useRef(false)
  useEffect(() => {
    if (!wasAdded.current) return
    wasAdded.current = false
    // opens the list of values of the added filter, which is before the `li` that adds one
    list.current?.querySelector<HTMLElement>('li:nth-last-of-type(2) .filter-value button')?.click()
  }, [filters.length])
  const replace = (at: number, changes: Partial<Filter>) =>
    onChange(filters.map((one, place) => (place === at ? { ...one, ...changes } : one)))
  const selectedByOthers = (at: number): Selected => ({
    metric: of.metric,
    filters: [...of.filters, ...filters.filter((one, place) => place !== at && one.value !== '')],
  })
  return (
    <ul ref={list} class="cluster" aria-label={label}>
      {filters.map((filter, at) => (
        <li key={`${at} ${filter.label}`} class="filter-chip">
          <span class="filter-label">{filter.label}</span>
          <select
            aria-label={operatorLabel(filter.label)}
            value={filter.op}
            onChange={(event) => replace(at, { op: event.currentTarget.value as Operator })}
          >
            {operators.map((op) => (
              <option key={op} value={op} aria-label={operatorWords[op]}>
                {op}
              </option>
            ))}
          </select>
          <span class="filter-value">
            <Picker
              label={valueLabel(filter.label)}
              value={filter.value}
              placeholder="value"
              path={labelValuesPath(sourceId, filter.label, selectedByOthers(at))}
              isFree
              {...(invalid && { invalid })}
              onPick={(value) => replace(at, { value })}
            />
          </span>
          <IconButton
            small
            icon="x"
            label={removeFilterLabel(filter.label)}
            onClick={() => onChange(filters.filter((_, place) => place !== at))}
          />
        </li>
      ))}
      <li>
        <Picker
          label={addLabelLabel(label)}
          value=""
          placeholder="label"
          icon="plus"
          path={labelNamesPath(sourceId, { metric: of.metric, filters: [] })}
          groupOf={(name) => (name === '__name__' || except.includes(name) ? null : '')}
          isFree
          {...(invalid && filters.length === 0 && { invalid })}
          onPick={(name) => {
            wasAdded.current = true
            onChange([...filters, { label: name, op: defaultOperator, value: '' }])
          }}
        />
      </li>
    </ul>
  )
}
