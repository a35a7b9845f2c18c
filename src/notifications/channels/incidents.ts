import type { Message } from './channel.ts'
import { line, type Read, wrong } from './configuration.ts'

/**
 * Under which key a receiver keeps an incident: one for an alert and its recovery; of its own for a message, which would
 * else be taken for a repetition of the one before. At most 250 characters, which every receiver takes.
 */
export function incidentKey({ event, alertKey, idempotencyKey }: Message): string {
  return (event === 'message' ? idempotencyKey : alertKey).slice(0, 250)
}

/** One line of a given form, as identifiers and credentials have it. */
export function matching(form: RegExp, wanted: string): Read<string> {
  return (given, key) => {
    const value = line()(given, key)
    if (value !== undefined && !form.test(value)) throw wrong(key, `must be ${wanted}`)
    return value
  }
}
