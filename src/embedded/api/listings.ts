import type { Lister } from '../lister.ts'
import { isLabelName } from '../../promql/labels.ts'
import { badData } from './bad-data.ts'
import { limitOf, type Parameters, type ApiRequest, timeOf } from './parameters.ts'
import { assertSelected, selectorsOf } from './selectors.ts'

/** `/series`: labels of every series that matches one of the selectors, as pieces of JSON. */
export async function listSeries(
  lister: Lister,
  { organizationId, parameters, request }: ApiRequest,
): Promise<Iterable<string>> {
  assertSelected(parameters)
  return lister(organizationId, { list: 'series', ...selectionOf(parameters) }, request.signal)
}

/** `/labels`: label names of all series, or of those that match one of the selectors. */
export async function listLabels(
  lister: Lister,
  { organizationId, parameters, request }: ApiRequest,
): Promise<Iterable<string>> {
  return lister(organizationId, { list: 'names', ...selectionOf(parameters) }, request.signal)
}

/** `/label/…/values`: values of a label in all series, or in those that match one of the selectors. */
export async function listLabelValues(
  lister: Lister,
  { organizationId, parameters, request }: ApiRequest,
  escapedName: string | null, // null if it cannot be decoded
): Promise<Iterable<string>> {
  const name = needLabelName(escapedName)
  return lister(organizationId, { list: 'values', name, ...selectionOf(parameters) }, request.signal)
}

/** Unescapes the label name in a path. Throws `invalid` if it is no label name, or null. */
export function needLabelName(escapedName: string | null): string {
  const name = unescapedName(escapedName ?? '')
  if (!isLabelName(name)) throw badData(`invalid label name: ${JSON.stringify(name)}`)
  return name
}

/**
 * Reads `match[]` and `limit`; only validates `start` and `end`. The index has no times and lists all series within the
 * retention. Prometheus is not exact either: it goes by its blocks and chunks.
 */
function selectionOf(parameters: Parameters): { selectors: string[]; limit: number } {
  for (const name of ['start', 'end']) timeOf(parameters, name)
  return { selectors: selectorsOf(parameters), limit: limitOf(parameters) }
}

const hexDigits = /^[0-9a-f]{0,6}$/i

/**
 * Unescapes a label name. After `U__`, `_2e_` is the character with that hexadecimal code (a dot), and `__` is an underscore. A
 * name that is not escaped this way is returned unchanged.
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

/** Escapes a label name: an underscore becomes `__`, any other character except ASCII letters and digits its code. */
export function escapeName(name: string): string {
  const escaped = Array.from(name, (character) => {
    if (character === '_') return '__'
    return /[a-z0-9]/i.test(character) ? character : `_${character.codePointAt(0)?.toString(16)}_`
  })
  return `U__${escaped.join('')}`
}
