import { inPageWords } from '../../api/page-words.ts'
import { asSentence } from '../../format.ts'

/** Problems by API field, or the error of a request that has none. */
export type Refusal = { problems: readonly { field: string; message: string }[]; error?: string }

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
 * Places problems beside the fields that ask for them. `at` has those of an API field and of its parts:
 * `configuration.headers.X-Team` belongs to `configuration.headers`, and `settings.0.severity`, of an item of a list, to
 * `severity`. Those of a field in `changed` are gone. `rest` has what no field has asked for until then, or the error.
 */
export function placed({ problems: found, error }: Refusal, changed: readonly string[] = []) {
  const all = found.map(({ field, message }) => ({ field: field.replace(/^[^.]+\.\d+\./, ''), message }))
  const problems = all.filter(({ field }, at) => all.findIndex((one) => one.field === field) === at)
  const asked = new Set<object>()
  return {
    at(name: string): string | undefined {
      const found = problems.filter(({ field }) => isIn(field, name))
      for (const one of found) asked.add(one)
      if (changed.some((one) => isIn(name, one))) return undefined
      return textOf(found.map(({ field, message }) => [field.slice(name.length + 1), message]))
    },
    rest(): string | undefined {
      return error ?? textOf(problems.filter((one) => !asked.has(one)).map(({ field, message }) => [field, message]))
    },
  }
}

/** True if a field is another, or a part of it. */
function isIn(field: string, other: string): boolean {
  return field === other || field.startsWith(`${other}.`)
}

/** Problems as sentences, each after the name of its part; undefined if there are none. */
function textOf(problems: readonly (readonly [part: string, message: string])[]): string | undefined {
  const sentences = problems.map(([part, message]) => inPageWords(asSentence(`${part} ${message}`.trim())))
  return sentences.length === 0 ? undefined : sentences.join(' ')
}
