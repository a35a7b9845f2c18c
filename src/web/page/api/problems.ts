import { asSentence } from '../format.ts'
import { ApiError } from './client.ts'

/** What is said against single fields: in a list, or as the `field: …` of the details. */
export function problemsOf({ problems, details }: ApiError): readonly { field: string; message: string }[] {
  const [, field, message] = /^([a-z_]+): (.+)$/s.exec(details ?? '') ?? []
  return problems.length > 0 || field === undefined || message === undefined ? problems : [{ field, message }]
}

/** What went wrong, as a sentence for a form of one field. */
export function sentenceOf(error: unknown): string {
  const text =
    error instanceof ApiError ? (problemsOf(error)[0]?.message ?? error.details ?? error.message) : String(error)
  return asSentence(text)
}
