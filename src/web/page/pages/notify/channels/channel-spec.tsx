import { Button } from '../../../ui/button.tsx'
import type { FieldSpec } from '../../../ui/form/fields.tsx'
import { type ChannelField, isMasked, type Values } from './fields.ts'
import { optionalLabel, storedHint } from './words.ts'

type State = {
  value: string
  /** Masked value of a stored secret, from the API. */
  stored: string | undefined
  onForget: () => void
}

/** Field of the form for one key of a configuration. */
export function specOf(field: ChannelField, { value, stored, onForget }: State): FieldSpec<Values> {
  const { key, label = key, kind = 'text', placeholder = field.default?.toString() } = field
  const isOptional = field.requirement === undefined && !(kind === 'choice' && field.default !== undefined)
  const isKept = isMasked(field) && stored !== undefined
  const named = {
    name: key,
    label: isOptional ? optionalLabel(label) : label,
    hint: isKept ? keptHint(stored) : field.hint,
  }
  if (kind === 'choice' || kind === 'flag') return { ...named, kind: 'select', options: optionsOf(field, value) }
  if (kind === 'headers' || kind === 'responders') return { ...named, kind: 'area', rows: 3, placeholder }
  return {
    ...named,
    type: isMasked(field) && !isReadable(field) ? 'password' : 'text',
    autocomplete: isMasked(field) ? 'new-password' : 'off',
    placeholder: isKept ? stored : placeholder,
    spellcheck: false,
    beside: isKept && isOptional && <Button onClick={onForget}>Remove</Button>,
  }
}

/**
 * Options of a choice. The empty value has an option of its own if the field has a label for it (`unset`). Otherwise it stands for the
 * first choice, unless that one is stored (`chosen`).
 */
function optionsOf({ choices = {}, unset }: ChannelField, chosen: string): [value: string, label: string][] {
  const options = Object.entries(choices)
  if (unset !== undefined) return [['', unset], ...options]
  return options.map(([value, label], at) => [at === 0 && value !== chosen ? '' : value, label])
}

/** True for a secret that may be read while it is typed; it is masked only after it is stored. */
function isReadable({ key }: ChannelField): boolean {
  return key.endsWith('_url') || key === 'topic'
}

function keptHint(stored: string): string {
  return storedHint(stored.startsWith('http') ? new URL(stored).host : null)
}
