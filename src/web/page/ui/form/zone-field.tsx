import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { TextField } from './field.tsx'
import { ZoneOptions } from './zone-options.tsx'

type Props = { value: string; onValue: (value: string) => void; hint?: string; problem?: ComponentChildren }

/** Text field for an IANA name of a time zone, which offers all that the browser knows. */
export function ZoneField({ value, onValue, hint, problem }: Props) {
  const id = useId()
  return (
    <>
      <TextField
        label="Time zone"
        value={value}
        onValue={(text) => onValue(text.trim())}
        hint={hint}
        problem={problem}
        list={id}
      />
      <ZoneOptions id={id} />
    </>
  )
}
