import type { ComponentChildren } from 'preact'
import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks'
import { plural } from '../format.ts'
import type { ProblemAttributes } from './form/field.tsx'
import { Icon } from './icon.tsx'
import { narrowWords } from './words.ts'

/**
 * An option to choose. `key` is unique; options of one `group` are adjacent, and a group without a name has no heading. `isChosen`: it
 * has a check mark, or room for one; undefined: it has neither, because choosing it closes or changes the list.
 */
export type Option = {
  key: string
  group: string
  label: string
  detail?: string
  icon?: ComponentChildren
  isChosen?: boolean
  onChoose: () => void
}

/** Options that match a text. */
export type Found = {
  options: readonly Option[]
  /** Number of further matches. */
  more: number
}

/**
 * A field with a list of matches, after the combobox pattern of WAI-ARIA: the focus stays in the field, Up and Down move the
 * selection, Enter chooses, Escape empties the field. If the server finds the matches, `onText` has the text to ask for, and `find`
 * returns the last answer. In a form, `isInForm` gives it the look of a field, and `problem` is what a `Field` hands over.
 */
export function Combobox(props: {
  label: string
  placeholder: string
  find: (text: string) => Found
  /** Text if nothing matches. */
  nothing: string
  /** Initial text of the field. */
  initial?: string
  onText?: (text: string) => void
  isInForm?: boolean
  problem?: ProblemAttributes
}) {
  const { label, placeholder, find, nothing, initial = '', onText, isInForm = false, problem } = props
  const id = useId()
  const [text, setText] = useState(initial)
  const write = (to: string) => {
    setText(to)
    setChosen(0)
    onText?.(to)
  }
  const [chosen, setChosen] = useState(0)
  const list = useRef<HTMLDivElement>(null)
  const { options, more } = useMemo(() => find(text), [find, text])
  const at = Math.min(chosen, options.length - 1)
  const groups = [...Map.groupBy(options, ({ group }) => group)]
  const count = options.length + more

  useEffect(() => {
    const option = list.current?.querySelector<HTMLElement>('[aria-selected=true]')
    if (!isInForm) option?.scrollIntoView({ block: 'nearest' })
    else if (option) scrollInto(list.current, option)
  }, [at, options])

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && !event.isComposing) options[at]?.onChoose()
    else if (event.key === 'ArrowDown') setChosen(at + 1 < options.length ? at + 1 : 0)
    else if (event.key === 'ArrowUp') setChosen(at > 0 ? at - 1 : options.length - 1)
    else if (event.key === 'Escape' && isInForm && text !== '') write('')
    else return
    event.preventDefault()
  }
  return (
    <div class={isInForm ? 'combobox in-form' : 'combobox'}>
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
          autofocus={!isInForm}
          {...problem}
          onInput={(event) => write(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
      </div>
      <div ref={list} id={`${id}-list`} class="combobox-list" role="listbox" aria-label={label}>
        {groups.map(([group, members], groupAt) => (
          <div
            key={group}
            role={group === '' ? 'presentation' : 'group'}
            aria-labelledby={group === '' ? undefined : `${id}-group-${groupAt}`} // an id has no spaces, a name may have
          >
            {group !== '' && (
              <div id={`${id}-group-${groupAt}`} class="combobox-group" role="presentation">
                {group}
              </div>
            )}
            {members.map((option) => {
              const place = options.indexOf(option)
              return (
                <div
                  key={option.key}
                  id={`${id}-${place}`}
                  role="option"
                  aria-selected={place === at}
                  aria-checked={option.isChosen}
                  class="combobox-option"
                  onPointerMove={() => setChosen(place)}
                  onMouseDown={(event) => event.preventDefault()}
                  onClick={option.onChoose}
                >
                  {option.isChosen === undefined ? option.icon : <Mark isChosen={option.isChosen} />}
                  <span class="combobox-label">{option.label}</span>
                  {option.detail && <span class="combobox-detail">{option.detail}</span>}
                </div>
              )
            })}
          </div>
        ))}
      </div>
      {more > 0 && <p class="combobox-note">{narrowWords(options.length, count)}</p>}
      {count === 0 && <p class="combobox-note">{nothing}</p>}
      <span class="hidden-text" role="status">
        {plural(count, '# result', '# results')}
      </span>
    </div>
  )
}

/** Room for the check mark of a chosen option. */
function Mark({ isChosen }: { isChosen: boolean }) {
  return <span class="combobox-mark">{isChosen && <Icon name="check" />}</span>
}

/** Scrolls a list to its option, but not the page around it. */
function scrollInto(list: HTMLElement | null, option: HTMLElement): void {
  if (!list) return
  const { top, bottom } = list.getBoundingClientRect()
  const box = option.getBoundingClientRect()
  if (box.top < top) list.scrollTop -= top - box.top
  else if (box.bottom > bottom) list.scrollTop += box.bottom - bottom
}
