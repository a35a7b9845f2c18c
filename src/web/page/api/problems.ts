import { asSentence } from '../format.ts'
import { ApiError } from './client.ts'
import { inPageWords } from './page-words.ts'

/** Error as a sentence in words of the page: its first field problem, otherwise its details or message. */
export function sentenceOf(error: unknown): string {
  const text =
    error instanceof ApiError ? (error.problems[0]?.message ?? error.details ?? error.message) : String(error)
  return inPageWords(asSentence(text))
}
