import type { ApiProblem } from '../../api/client.ts'
import { inPageWords } from '../../api/page-words.ts'
import { asSentence } from '../../format.ts'

/** Problems by API field, or the error of a request that has none. */
export type Refusal = { problems: readonly ApiProblem[]; error?: string }

/** Problem of an API field that is found while a request is made. */
export class FieldProblem extends Error {
  constructor(
    readonly field: string,
    message: string,
  ) {
    super(message)
  }
}

/**
 * Places problems beside the fields that ask for them. `at` and `of` have those of API fields and of their parts:
 * `configuration.headers.X-Team` belongs to `configuration.headers`, and `settings.0.severity`, of an item of a list, to
 * `severity`. Those of a field in `changed` are gone. `rest` has what no field has asked for until then, or the error.
 */
export function placed({ problems, error }: Refusal, changed: readonly string[] = []) {
  const asked = new Set<object>()
  const of = (...names: string[]) => {
    const found = problems.filter(({ field }) => names.some((name) => isIn(field, name)))
    for (const one of found) asked.add(one)
    return names.some((name) => changed.some((one) => isIn(name, one))) ? [] : found
  }
  return {
    of,
    at: (name: string) => textOf(of(name).map(({ field, message }) => [partOf(field, name) ?? '', message])),
    rest: () =>
      error ?? textOf(problems.filter((one) => !asked.has(one)).map(({ field, message }) => [inItem(field), message])),
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

/** Name of a field in its item, if it is one of a list. */
function inItem(field: string): string {
  return field.replace(/^[^.]+\.\d+\./, '')
}

/** Problems as sentences, the first of each part, after the name of the part; undefined if there are none. */
function textOf(problems: readonly (readonly [part: string, message: string])[]): string | undefined {
  const firsts = problems.filter(([part], at) => problems.findIndex(([one]) => one === part) === at)
  const sentences = firsts.map(([part, message]) => inPageWords(asSentence(`${part} ${message}`.trim())))
  return sentences.length === 0 ? undefined : sentences.join(' ')
}
