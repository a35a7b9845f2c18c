import { asSentence } from '../format.ts'
import { ApiError } from './client.ts'

/** Error as a sentence: its first field problem, otherwise its details or message. */
export function sentenceOf(error: unknown): string {
  const text =
    error instanceof ApiError ? (error.problems[0]?.message ?? error.details ?? error.message) : String(error)
  return asSentence(text)
}
