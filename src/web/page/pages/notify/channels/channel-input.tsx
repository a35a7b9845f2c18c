import type { InputHTMLAttributes } from 'preact'
import { Button } from '../../../ui/button.tsx'
import { Field } from '../../../ui/form/field.tsx'
import { type ChannelField, isHidden } from './fields.ts'

type Props = {
  field: ChannelField
  value: string
  /** Masked value of a stored secret, from the API. */
  stored: string | undefined
  problem: string | undefined
  onValue: (value: string) => void
  onForget: () => void
}

/** Input for one key of a configuration. */
export function ChannelInput({ field, value, stored, problem, onValue, onForget }: Props) {
  const { key, label = key, kind = 'text', placeholder = field.default?.toString() } = field
  const isOptional = field.required === undefined && !(kind === 'choice' && field.default !== undefined)
  const isKept = isHidden(field) && stored !== undefined
  const hint = isKept ? keptHint(stored) : field.hint
  return (
    <Field label={isOptional ? `${label} (optional)` : label} hint={hint} problem={problem}>
      {(ids) => {
        if (kind === 'choice' || kind === 'flag') {
          const options = optionsOf(field)
          const chosen = options.some(([one]) => one === value) ? value : '' // a default has an option without value
          return (
            <select {...ids} class="input" value={chosen} onChange={(event) => onValue(event.currentTarget.value)}>
              {options.map(([one, name]) => (
                <option key={one} value={one}>
                  {name}
                </option>
              ))}
            </select>
          )
        }
        if (kind === 'headers' || kind === 'responders') {
          return (
            <textarea
              {...ids}
              class="input"
              rows={3}
              spellcheck={false}
              placeholder={placeholder}
              value={value}
              onInput={(event) => onValue(event.currentTarget.value)}
            />
          )
        }
        const attributes = {
          ...ids,
          type: isHidden(field) && !isReadable(field) ? 'password' : 'text',
          autocomplete: isHidden(field) ? 'new-password' : 'off',
          placeholder: isKept ? stored : placeholder,
        } as InputHTMLAttributes<HTMLInputElement> // its type is a union of many shapes
        const input = (
          <input
            {...attributes}
            class="input"
            spellcheck={false}
            value={value}
            onInput={(event) => onValue(event.currentTarget.value)}
          />
        )
        if (!isKept || !isOptional) return input
        return (
          <div class="with-button">
            {input}
            <Button onClick={onForget}>Remove</Button>
          </div>
        )
      }}
    </Field>
  )
}

/** Options of a choice. No value is an option of its own, or stands for the first value. */
function optionsOf({ choices = {}, unset }: ChannelField): [value: string, label: string][] {
  const options = Object.entries(choices)
  if (unset !== undefined) return [['', unset], ...options]
  return options.map(([value, label], at) => [at === 0 ? '' : value, label])
}

/** True for a secret that may be read while it is typed; it is masked only after it is stored. */
function isReadable({ key }: ChannelField): boolean {
  return key.endsWith('_url') || key === 'topic'
}

function keptHint(stored: string): string {
  return stored.startsWith('http')
    ? `Stored for ${new URL(stored).host}. Fill it in to replace it.`
    : 'Stored. Fill it in to replace it.'
}
