import { asSentence } from '../format.ts'
import { ApiError } from './client.ts'

/** Problems of single fields: from the list, or from details of the form `field: …`. */
export function problemsOf({ problems, details }: ApiError): readonly { field: string; message: string }[] {
  const [, field, message] = /^([a-z_]+): (.+)$/s.exec(details ?? '') ?? []
  return problems.length > 0 || field === undefined || message === undefined ? problems : [{ field, message }]
}

/** Error as a sentence: its first field problem, otherwise its details or message. */
export function sentenceOf(error: unknown): string {
  const text =
    error instanceof ApiError ? (problemsOf(error)[0]?.message ?? error.details ?? error.message) : String(error)
  return asSentence(text)
}
