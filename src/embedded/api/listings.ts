import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError } from '../../errors.ts'
import { bounded } from '../bounded.ts'
import { tooSlow } from '../promql/budget.ts'
import { inOrderOfLabels, isLabelName } from '../promql/labels.ts'
import type { Matcher } from '../promql/matchers.ts'
import { parsePromql } from '../promql/parse.ts'
import type { SampleStore } from '../store/sample-store.ts'
import { badData, badParameter } from './bad-data.ts'
import { type Parameters, type Question, timeOf } from './parameters.ts'
import { inOrder } from './result.ts'

type Listed = Pick<SampleStore, 'series' | 'labelNames' | 'labelValues'>

/** Each goes over every series there is, at worst. */
const mostSelectors = 100
const mostWorkMs = 2000

/** `/series`: the labels of every series that one of the selectors fits, as pieces of JSON. */
export async function listSeries(samples: Listed, { organizationId, parameters }: Question): Promise<Iterable<string>> {
  if (!parameters.has('match[]')) throw badData('no match[] parameter provided')
  const found = await eachOf(selectorsIn(parameters), (matchers) => samples.series(organizationId, matchers))
  const series = Array.from(found, (labels) => ({ labels }))
  return arrayPieces(inOrderOfLabels(series).map(({ labels }) => inOrder(labels)))
}

/** `/labels`: the names of the labels of every series, or of those that one of the selectors fits. */
export async function listLabels(samples: Listed, { organizationId, parameters }: Question): Promise<Iterable<string>> {
  const found = await eachOf(orAll(selectorsIn(parameters)), (matchers) => samples.labelNames(organizationId, matchers))
  return arrayPieces([...found].toSorted())
}

/** `/label/…/values`: what the label says in those series. */
export async function listLabelValues(
  samples: Listed,
  { organizationId, parameters }: Question,
  name: string,
): Promise<Iterable<string>> {
  if (!isLabelName(name)) throw badData(`invalid label name: ${JSON.stringify(name)}`)
  const found = await eachOf(orAll(selectorsIn(parameters)), (matchers) =>
    samples.labelValues(organizationId, name, matchers),
  )
  return arrayPieces([...found].toSorted())
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

/** Stands for all series. */
const noSelector = null

const orAll = (selectors: string[]) => (selectors.length === 0 ? [noSelector] : selectors)

/** What is found for each, in turns with everything else; throws `too_slow` once that has been too much work. */
async function eachOf<T>(selectors: (string | null)[], find: (matchers: Matcher[]) => T[]): Promise<Set<T>> {
  const found = new Set<T>()
  let workedMs = 0
  for (const selector of selectors) {
    const began = performance.now()
    const isTooMuch = () => workedMs + performance.now() - began > mostWorkMs
    const matchers = selector === noSelector ? [] : selectorOf(selector)
    for (const one of find(bounded(matchers, isTooMuch))) found.add(one)
    if (isTooMuch()) throw tooSlow()
    workedMs += performance.now() - began
    await nextTurn()
  }
  return found
}

function* arrayPieces(items: unknown[]): Generator<string> {
  for (const [place, item] of items.entries()) yield `${place === 0 ? '[' : ','}${JSON.stringify(item)}`
  yield items.length === 0 ? '[]' : ']'
}
