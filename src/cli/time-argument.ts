import { UsageError } from './usage-error.ts'

/** Reads a date or a time with its zone: `2026-11-01`, `2026-11-01T12:00:00Z`. `name`: the argument, for the refusal. */
export function timeOf(name: string, text: string | undefined): number {
  const isTime = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/.test(text ?? '')
  const timeMs = isTime ? Date.parse(text ?? '') : NaN
  if (Number.isNaN(timeMs)) {
    const came = text === undefined ? '' : `, got "${text}"`
    throw new UsageError(`${name} must be a date (UTC) or a time such as 2026-11-01T12:00:00Z${came}`)
  }
  return timeMs
}
