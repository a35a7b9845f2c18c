import type { Lister } from '../lister.ts'
import { isLabelName } from '../../promql/labels.ts'
import { badData, badParameter } from './bad-data.ts'
import { unescapedName } from './escaped-name.ts'
import { limitOf, type Parameters, type Question, timeOf } from './parameters.ts'

/** Each goes over every series there is, at worst. */
const maxSelectors = 100

/** `/series`: the labels of every series that one of the selectors fits, as pieces of JSON. */
export async function listSeries(
  lister: Lister,
  { organizationId, parameters, request }: Question,
): Promise<Iterable<string>> {
  if (!parameters.has('match[]')) throw badData('no match[] parameter provided')
  return lister(organizationId, { list: 'series', ...askedIn(parameters) }, request.signal)
}

/** `/labels`: the names of the labels of every series, or of those that one of the selectors fits. */
export async function listLabels(
  lister: Lister,
  { organizationId, parameters, request }: Question,
): Promise<Iterable<string>> {
  return lister(organizationId, { list: 'names', ...askedIn(parameters) }, request.signal)
}

/** `/label/…/values`: what the label says in those series; null where the name is no text. */
export async function listLabelValues(
  lister: Lister,
  { organizationId, parameters, request }: Question,
  escapedName: string | null, // null where it cannot be decoded
): Promise<Iterable<string>> {
  const name = unescapedName(escapedName ?? '')
  if (!isLabelName(name)) throw badData(`invalid label name: ${JSON.stringify(name)}`)
  return lister(organizationId, { list: 'values', name, ...askedIn(parameters) }, request.signal)
}

/**
 * Reads `match[]` and `limit`, and looks at `start` and `end` only for whether they are times: the index knows no times, and gives
 * what has been within the retention. Prometheus is no more exact than its blocks and chunks either.
 */
function askedIn(parameters: Parameters): { selectors: string[]; limit: number } {
  for (const name of ['start', 'end']) timeOf(parameters, name)
  const selectors = parameters.getAll('match[]')
  if (selectors.length > maxSelectors) throw badParameter('match[]', `must be at most ${maxSelectors}`)
  return { selectors, limit: limitOf(parameters) }
}
