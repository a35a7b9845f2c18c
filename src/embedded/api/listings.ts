import type { Lister } from '../lister.ts'
import { isLabelName } from '../promql/labels.ts'
import { badData, badParameter } from './bad-data.ts'
import { unescapedName } from './escaped-name.ts'
import { type Parameters, type Question, timeOf } from './parameters.ts'

/** Each goes over every series there is, at worst. */
const mostSelectors = 100

/** `/series`: the labels of every series that one of the selectors fits, as pieces of JSON. */
export async function listSeries(
  lister: Lister,
  { organizationId, parameters, request }: Question,
): Promise<Iterable<string>> {
  if (!parameters.has('match[]')) throw badData('no match[] parameter provided')
  return lister(organizationId, { list: 'series', selectors: selectorsIn(parameters) }, request.signal)
}

/** `/labels`: the names of the labels of every series, or of those that one of the selectors fits. */
export async function listLabels(
  lister: Lister,
  { organizationId, parameters, request }: Question,
): Promise<Iterable<string>> {
  return lister(organizationId, { list: 'names', selectors: selectorsIn(parameters) }, request.signal)
}

/** `/label/…/values`: what the label says in those series. */
export async function listLabelValues(
  lister: Lister,
  { organizationId, parameters, request }: Question,
  escapedName: string | null, // null where it cannot be decoded
): Promise<Iterable<string>> {
  const name = unescapedName(escapedName ?? '')
  if (!isLabelName(name)) throw badData(`invalid label name: ${JSON.stringify(name)}`)
  return lister(organizationId, { list: 'values', name, selectors: selectorsIn(parameters) }, request.signal)
}

/**
 * Reads `match[]`, and looks at `start` and `end` only for whether they are times: the index knows no times, and gives
 * what has been within the retention. Prometheus is no more exact than its blocks and chunks either.
 */
function selectorsIn(parameters: Parameters): string[] {
  for (const name of ['start', 'end']) timeOf(parameters, name)
  const texts = parameters.getAll('match[]')
  if (texts.length > mostSelectors) throw badParameter('match[]', `wanted at most ${mostSelectors}`)
  return texts
}
