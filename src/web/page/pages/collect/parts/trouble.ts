import { ApiError } from '../../../api/client.ts'

/** Message about a failed request: `text`, and the reason in one line. */
export function reasonAfter(text: string): (error: unknown) => string {
  return (error) => `${text} ${errorText(error)}`
}

/** Error of a failed request, in one line. */
export function errorText(error: unknown): string {
  if (!(error instanceof ApiError)) return error instanceof Error ? error.message : String(error)
  const problems = error.problems.map(({ field, message }) => `${field} ${message}`).join('; ')
  return [error.message, problems || error.details].filter(Boolean).join(': ')
}
