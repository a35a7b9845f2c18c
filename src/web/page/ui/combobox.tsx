import type { ComponentChildren } from 'preact'
import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks'
import { Icon } from './icon.tsx'
import { plural } from '../format.ts'

/** An option to choose. `key` is unique; options of one `group` are adjacent. */
export type Option = {
  key: string
  group: string
  label: string
  detail?: string
  icon?: ComponentChildren
  onChoose: () => void
}

type Found = {
  options: readonly Option[]
  /** Number of further matches. */
  more: number
}

/**
 * A field with a list of matches, after the combobox pattern of WAI-ARIA: the focus stays in the field, Up and Down move the
 * selection, Enter chooses.
 */
export function Combobox(props: {
  label: string
  placeholder: string
  find: (text: string) => Found
  /** Text if nothing matches. */
  nothing: string
  /** Initial text of the field. */
  initial?: string
}) {
  const { label, placeholder, find, nothing, initial = '' } = props
  const id = useId()
  const [text, setText] = useState(initial)
  const [chosen, setChosen] = useState(0)
  const list = useRef<HTMLDivElement>(null)
  const { options, more } = useMemo(() => find(text), [find, text])
  const at = Math.min(chosen, options.length - 1)
  const groups = [...Map.groupBy(options, ({ group }) => group)]
  const count = options.length + more

  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' })
  }, [at, options])

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && !event.isComposing) options[at]?.onChoose()
    else if (event.key === 'ArrowDown') setChosen(at + 1 < options.length ? at + 1 : 0)
    else if (event.key === 'ArrowUp') setChosen(at > 0 ? at - 1 : options.length - 1)
    else return
    event.preventDefault()
  }
  return (
    <div class="combobox">
      <div class="combobox-field">
        <Icon name="search" />
        <input
          type="text"
          role="combobox"
          aria-label={label}
          aria-expanded={options.length > 0}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={options[at] && `${id}-${at}`}
          autocomplete="off"
          spellcheck={false}
          placeholder={placeholder}
          value={text}
          autofocus
          onInput={(event) => {
            setText(event.currentTarget.value)
            setChosen(0)
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <div ref={list} id={`${id}-list`} class="combobox-list" role="listbox" aria-label={label}>
        {groups.map(([group, members]) => (
          <div key={group} role="group" aria-labelledby={`${id}-${group}`}>
            <div id={`${id}-${group}`} class="combobox-group" role="presentation">
              {group}
            </div>
            {members.map((option) => {
              const place = options.indexOf(option)
              return (
                <div
                  key={option.key}
                  id={`${id}-${place}`}
                  role="option"
                  aria-selected={place === at}
                  class="combobox-option"
                  onPointerMove={() => setChosen(place)}
                  onMouseDown={(event) => event.preventDefault()}
                  onClick={option.onChoose}
                >
                  {option.icon}
                  <span class="combobox-label">{option.label}</span>
                  {option.detail && <span class="combobox-detail">{option.detail}</span>}
                </div>
              )
            })}
          </div>
        ))}
      </div>
      {more > 0 && <p class="combobox-note">{more} more: type to narrow them down</p>}
      {count === 0 && <p class="combobox-note">{nothing}</p>}
      <span class="hidden-text" role="status">
        {plural(count, '# result', '# results')}
      </span>
    </div>
  )
}
