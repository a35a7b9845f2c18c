import { ApiError } from '../../../api/client.ts'

/** Error of a failed request, in one line. */
export function textOf(error: unknown): string {
  if (!(error instanceof ApiError)) return error instanceof Error ? error.message : String(error)
  const said = error.problems.map(({ field, message }) => `${field} ${message}`).join('; ')
  return [error.message, said || error.details].filter(Boolean).join(': ')
}
