import type { InputHTMLAttributes } from 'preact'
import { Button } from '../../../ui/button.tsx'
import { Field } from '../../../ui/field.tsx'
import type { ChannelField } from './fields.ts'

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
  const { label, kind = 'text', placeholder, choices = [], isOptional = false } = field
  const isKept = kind === 'secret' && stored !== undefined
  const hint = isKept ? keptHint(stored) : field.hint
  return (
    <Field label={isOptional ? `${label} (optional)` : label} hint={hint} problem={problem}>
      {(ids) => {
        if (kind === 'choice') {
          return (
            <select {...ids} class="input" value={value} onChange={(event) => onValue(event.currentTarget.value)}>
              {choices.map(([one, name]) => (
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
          type: kind === 'secret' && !isReadable(field) ? 'password' : 'text',
          autocomplete: kind === 'secret' ? 'new-password' : 'off',
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

/** True for a secret that may be read while it is typed; it is masked only after it is stored. */
function isReadable({ key }: ChannelField): boolean {
  return key.endsWith('_url') || key === 'topic'
}

function keptHint(stored: string): string {
  return stored.startsWith('http')
    ? `Stored for ${new URL(stored).host}. Fill it in to replace it.`
    : 'Stored. Fill it in to replace it.'
}
