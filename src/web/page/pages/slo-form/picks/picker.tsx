import { useCallback, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Combobox, type Option } from '../../../ui/combobox.tsx'
import type { ProblemAttributes } from '../../../ui/form/field.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Popover } from '../../../ui/popover.tsx'
import { useList } from './source-api.ts'

export type PickerProps = {
  label: string
  /** Chosen value; empty: none yet. */
  value: string
  /** Text of the button while nothing is chosen. */
  placeholder: string
  /** API path of the list. */
  path: string
  onPick: (value: string) => void
  /** Group of a value; null leaves it out. By default one group without a name. */
  groupOf?: (value: string) => string | null
  /** Order of the values; by default that of the source. */
  compare?: (one: string, other: string) => number
  /** Value to show and choose for an entry of the list. */
  toValue?: (listed: string) => string
  /** True if a value that is not in the list may be typed. */
  isFree?: boolean
  icon?: 'plus'
  /** Attributes of the button if the value has a problem. */
  invalid?: ProblemAttributes
}

const maxShown = 100

/** Button with the chosen value. It opens a searchable list of the source, which is read only then. */
export function Picker(props: PickerProps) {
  const [isOpen, setOpen] = useState(false)
  const { label, value, placeholder, icon, invalid } = props
  return (
    <Popover
      class="picker"
      label={label}
      onToggle={setOpen}
      trigger={(attributes) => (
        <button
          type="button"
          class={`picker-button${value === '' ? ' empty-pick' : ''}${icon ? ' adds' : ''}`}
          {...attributes}
          aria-label={icon ? label : `${label}: ${value === '' ? placeholder : value}`} // contains the visible text
          {...invalid}
          title={value}
        >
          {icon && <Icon name={icon} size={14} />}
          <span>{value === '' ? placeholder : value}</span>
          {!icon && <Icon name="chevron-down" size={14} />}
        </button>
      )}
    >
      {isOpen && <List {...props} />}
    </Popover>
  )
}

function List({ label, path, onPick, groupOf, compare, toValue, isFree, value }: PickerProps) {
  const element = useRef<HTMLDivElement>(null)
  const { value: read, error, isReading } = useList(path)
  useLayoutEffect(() => {
    const field = element.current?.querySelector('input')
    field?.focus()
    field?.select()
  }, [])
  const listed = read.value?.data
  const find = useCallback(
    (text: string) => {
      const take = (value: string) => () => {
        element.current?.closest<HTMLElement>('[popover]')?.hidePopover() // returns the focus to the button
        onPick(value)
      }
      const typed = text.trim()
      const values = (listed ?? []).map((one) => toValue?.(one) ?? one)
      const found = rankValues([...new Set(values)], typed === value ? '' : typed, compare).flatMap((one): Option[] => {
        const group = groupOf ? groupOf(one) : ''
        return group === null ? [] : [{ key: `${group} ${one}`, group, label: one, onChoose: take(one) }]
      })
      const grouped = [...Map.groupBy(found, ({ group }) => group).values()].flat()
      const isTypedNew = isFree && typed !== '' && !values.includes(typed)
      const own: Option[] = isTypedNew ? [{ key: 'typed', group: 'As typed', label: typed, onChoose: take(typed) }] : []
      const options = [...grouped.slice(0, maxShown), ...own]
      return { options, more: Math.max(0, grouped.length - maxShown) }
    },
    [listed, value],
  )
  return (
    <div ref={element}>
      <Combobox
        label={label}
        placeholder={isFree ? 'Search, or type' : 'Search'}
        find={find}
        initial={value}
        nothing={nothingText(listed, isReading.value, error.value?.message)}
      />
    </div>
  )
}

function nothingText(listed: string[] | undefined, isReading: boolean, problem: string | undefined): string {
  if (listed === undefined) return isReading || problem === undefined ? 'Reading the source…' : `${problem}.`
  return listed.length === 0 ? 'The source has none.' : 'Nothing is called that.'
}

/** Values that have all typed words; those that begin with the text come first. */
function rankValues(values: string[], typed: string, compare?: PickerProps['compare']): string[] {
  const text = typed.toLowerCase()
  const words = text.split(/\s+/).filter(Boolean)
  const found = values.filter((value) => words.every((word) => value.toLowerCase().includes(word)))
  const sorted = compare ? found.toSorted(compare) : found
  if (text === '') return sorted
  return sorted.toSorted((a, b) => Number(b.toLowerCase().startsWith(text)) - Number(a.toLowerCase().startsWith(text)))
}
