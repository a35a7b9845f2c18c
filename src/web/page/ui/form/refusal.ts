import { ApiError } from '../../api/client.ts'
import { sentenceOf } from '../../api/problems.ts'
import { FieldProblem, type Refusal } from './assign-problems.ts'

/** Problems that an error of a request has, or one that was thrown before the request was sent. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof FieldProblem) return { problems: [error] }
  const problems = error instanceof ApiError ? error.problems : []
  return problems.length > 0 ? { problems } : { problems, error: sentenceOf(error) }
}
