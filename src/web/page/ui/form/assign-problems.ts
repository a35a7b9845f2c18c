import type { ApiProblem } from '../../api/client.ts'
import { inPageWords } from '../../api/page-words.ts'
import { asSentence } from '../../format.ts'

/** Problems of a refused request by API field, or its error if it names no fields. */
export type Refusal = { problems: readonly ApiProblem[]; error?: string }

/** Problem of an API field that the page finds before it sends the request. */
export class FieldProblem extends Error {
  constructor(
    readonly field: string,
    message: string,
  ) {
    super(message)
  }
}

/**
 * Assigns problems to the inputs of a form. `problemAt` and `problemsOf` return the problems of API fields and their parts:
 * `configuration.headers.X-Team` belongs to `configuration.headers`, and `settings.0.severity`, a field of a list item, to
 * `severity`. They omit problems of fields in `changed`. `rest` returns the error, or the problems that neither `problemAt` nor `problemsOf` was
 * called for so far.
 */
export function assignProblems({ problems, error }: Refusal, changed: readonly string[] = []) {
  const assigned = new Set<object>()
  const problemsOf = (...names: string[]) => {
    const found = problems.filter(({ field }) => names.some((name) => isIn(field, name)))
    for (const one of found) assigned.add(one)
    return names.some((name) => changed.some((one) => isIn(name, one))) ? [] : found
  }
  return {
    problemsOf,
    problemAt: (name: string) =>
      textOf(problemsOf(name).map(({ field, message }) => [partOf(field, name) ?? '', message])),
    rest: () =>
      error ??
      textOf(problems.filter((one) => !assigned.has(one)).map(({ field, message }) => [inItem(field), message])),
  }
}

/** True if a field is another, or a part of it. */
export function isIn(field: string, other: string): boolean {
  return partOf(field, other) !== undefined
}

/** Path of a field below another; empty for the other itself, undefined if it is no part of it. */
function partOf(field: string, other: string): string | undefined {
  const path = [field, inItem(field)].find((one) => one === other || one.startsWith(`${other}.`))
  return path?.slice(other.length + 1)
}

/** Field name without the list and index of an item: `severity` for `settings.0.severity`. */
function inItem(field: string): string {
  return field.replace(/^[^.]+\.\d+\./, '')
}

/** First problem of each part, as a sentence that begins with the name of the part; undefined if there are no problems. */
function textOf(problems: readonly (readonly [part: string, message: string])[]): string | undefined {
  const firsts = problems.filter(([part], at) => problems.findIndex(([one]) => one === part) === at)
  const sentences = firsts.map(([part, message]) => inPageWords(asSentence(`${part} ${message}`.trim())))
  return sentences.length === 0 ? undefined : sentences.join(' ')
}
