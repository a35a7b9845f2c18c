import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError } from '../../errors.ts'
import { isLabelName, orderKey } from '../promql/labels.ts'
import type { Matcher } from '../promql/matchers.ts'
import { parsePromql } from '../promql/parse.ts'
import type { SampleStore } from '../store/sample-store.ts'
import { badData, badParameter } from './bad-data.ts'
import { type Parameters, type Question, timeOf } from './parameters.ts'
import { inOrder } from './result.ts'

type Listed = Pick<SampleStore, 'series' | 'labelNames' | 'labelValues'>

/** Each goes over every series there is, at worst. */
const mostSelectors = 100

/** `/series`: the labels of every series that one of the selectors fits, as pieces of JSON. */
export async function listSeries(samples: Listed, { organizationId, parameters }: Question): Promise<Iterable<string>> {
  if (!parameters.has('match[]')) throw badData('no match[] parameter provided')
  const found = await eachOf(selectorsOf(parameters), (matchers) => samples.series(organizationId, matchers))
  const keyed = Array.from(found, (labels) => ({ labels, key: orderKey(labels) }))
  return arrayPieces(keyed.toSorted((a, b) => (a.key < b.key ? -1 : 1)).map(({ labels }) => inOrder(labels)))
}

/** `/labels`: the names of the labels of every series, or of those that one of the selectors fits. */
export async function listLabels(samples: Listed, { organizationId, parameters }: Question): Promise<Iterable<string>> {
  const found = await eachOf(orAll(selectorsOf(parameters)), (matchers) => samples.labelNames(organizationId, matchers))
  return arrayPieces([...found].toSorted())
}

/** `/label/…/values`: what the label says in those series. */
export async function listLabelValues(
  samples: Listed,
  { organizationId, parameters }: Question,
  name: string,
): Promise<Iterable<string>> {
  if (!isLabelName(name)) throw badData(`invalid label name: ${JSON.stringify(name)}`)
  const found = await eachOf(orAll(selectorsOf(parameters)), (matchers) =>
    samples.labelValues(organizationId, name, matchers),
  )
  return arrayPieces([...found].toSorted())
}

/**
 * Reads `match[]`, and looks at `start` and `end` only for whether they are times: the index knows no times, and gives
 * what has been within the retention. Prometheus is no more exact than its blocks and chunks either.
 */
function selectorsOf(parameters: Parameters): Matcher[][] {
  for (const name of ['start', 'end']) timeOf(parameters, name)
  const texts = parameters.getAll('match[]')
  if (texts.length > mostSelectors) throw badParameter('match[]', `wanted at most ${mostSelectors}`)
  return texts.map(selectorOf)
}

function selectorOf(text: string): Matcher[] {
  try {
    const expr = parsePromql(text)
    const isPlain = expr.kind === 'selector' && expr.offsetMs === 0 && expr.at === null
    if (isPlain && !text.trimStart().startsWith('(')) return expr.matchers
  } catch (error) {
    if (!(error instanceof AppError && error.kind === 'invalid')) throw error
    throw badParameter('match[]', error.details ?? error.message, error)
  }
  throw badParameter('match[]', `wanted a series selector, not “${text}”`)
}

const orAll = (selectors: Matcher[][]): Matcher[][] => (selectors.length === 0 ? [[]] : selectors)

async function eachOf<T>(selectors: Matcher[][], find: (matchers: Matcher[]) => T[]): Promise<Set<T>> {
  const found = new Set<T>()
  for (const matchers of selectors) {
    for (const one of find(matchers)) found.add(one)
    await nextTurn()
  }
  return found
}

function* arrayPieces(items: unknown[]): Generator<string> {
  for (const [place, item] of items.entries()) yield `${place === 0 ? '[' : ','}${JSON.stringify(item)}`
  yield items.length === 0 ? '[]' : ']'
}
