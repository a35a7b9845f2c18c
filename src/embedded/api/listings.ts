import type { Lister } from '../lister.ts'
import { isLabelName } from '../../promql/labels.ts'
import { badData } from './bad-data.ts'
import { limitOf, type Parameters, type Question, timeOf } from './parameters.ts'
import { assertSelected, selectorsOf } from './selectors.ts'

/** `/series`: the labels of every series that one of the selectors fits, as pieces of JSON. */
export async function listSeries(
  lister: Lister,
  { organizationId, parameters, request }: Question,
): Promise<Iterable<string>> {
  assertSelected(parameters)
  return lister(organizationId, { list: 'series', ...selectionOf(parameters) }, request.signal)
}

/** `/labels`: the names of the labels of every series, or of those that one of the selectors fits. */
export async function listLabels(
  lister: Lister,
  { organizationId, parameters, request }: Question,
): Promise<Iterable<string>> {
  return lister(organizationId, { list: 'names', ...selectionOf(parameters) }, request.signal)
}

/** `/label/…/values`: what the label says in those series; null where the name is no text. */
export async function listLabelValues(
  lister: Lister,
  { organizationId, parameters, request }: Question,
  escapedName: string | null, // null where it cannot be decoded
): Promise<Iterable<string>> {
  const name = needLabelName(escapedName)
  return lister(organizationId, { list: 'values', name, ...selectionOf(parameters) }, request.signal)
}

/** The label that a path names, unescaped; throws for what is no name of a label, null among it. */
export function needLabelName(escapedName: string | null): string {
  const name = unescapedName(escapedName ?? '')
  if (!isLabelName(name)) throw badData(`invalid label name: ${JSON.stringify(name)}`)
  return name
}

/**
 * Reads `match[]` and `limit`, and looks at `start` and `end` only for whether they are times: the index knows no times, and gives
 * what has been within the retention. Prometheus is no more exact than its blocks and chunks either.
 */
function selectionOf(parameters: Parameters): { selectors: string[]; limit: number } {
  for (const name of ['start', 'end']) timeOf(parameters, name)
  return { selectors: selectorsOf(parameters), limit: limitOf(parameters) }
}

const hexDigits = /^[0-9a-f]{0,6}$/i

/**
 * The name of a label as a path has it: after `U__`, `_2e_` is the character of that code (a dot), and `__` an underscore.
 * What is not escaped so is a name as it is.
 */
function unescapedName(name: string): string {
  if (!name.startsWith('U__')) return name
  const escaped = name.slice('U__'.length)
  let unescaped = ''
  for (let at = 0; at < escaped.length; at += 1) {
    if (escaped.charAt(at) !== '_') {
      unescaped += escaped.charAt(at)
      continue
    }
    const end = escaped.indexOf('_', at + 1)
    const digits = escaped.slice(at + 1, end)
    const code = Number.parseInt(digits || '0', 16)
    if (end < 0 || !hexDigits.test(digits) || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return name
    unescaped += digits === '' ? '_' : String.fromCodePoint(code)
    at = end
  }
  return unescaped
}

/** The same the other way: every character but letters, digits and underscores as its code. */
export function escapeName(name: string): string {
  const escaped = Array.from(name, (character) => {
    if (character === '_') return '__'
    return /[a-z0-9]/i.test(character) ? character : `_${character.codePointAt(0)?.toString(16)}_`
  })
  return `U__${escaped.join('')}`
}
