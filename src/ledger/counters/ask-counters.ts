import { inTurns, type Steps } from '../../concurrency/steps.ts'
import { AppError, isDatabaseDamaged } from '../../errors.ts'
import type { Counter } from '../../promql/analysis/counters/counter-sum.ts'
import { askRange, type AskOptions, type Grid, type RangeSeries, type Source } from '../../sources/source.ts'
import { type Family, familiesOf, memberOf, selectorOf } from './families.ts'
import type { Quantity } from './quantities.ts'

/** Values by time (Unix seconds). */
export type Series = Map<number, number>

/** By the text of the counter. One without any series is in neither; `failed` are those that the source gave no answer for. */
export type CounterAnswers = { values: Map<string, Series>; failed: Map<string, AppError> }

/**
 * Asks for a quantity of many counters over a grid, in as few questions as their selectors allow; one that is refused,
 * too much for the source, or met by damage of its samples, is halved. One question that fails fails for its counters only, also where the source could
 * answer for a part of its data.
 */
export async function askCounters(
  source: Source,
  counters: Counter[],
  quantity: Quantity,
  grid: Grid,
  options: AskOptions = {},
): Promise<CounterAnswers> {
  const answers: CounterAnswers = { values: new Map(), failed: new Map() }
  const ask = async (family: Family): Promise<void> => {
    try {
      const { data, partial } = await askRange(source, expressionOf(family, quantity), grid, options)
      if (partial) throw partialAnswer()
      await inTurns('measurements', reading(data, memberOf(family), answers.values))
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      const half = Math.floor(family.members.length / 2)
      if (half > 0 && (error.kind === 'source_refused' || isDatabaseDamaged(error))) {
        const halves = [family.members.slice(0, half), family.members.slice(half)]
        await Promise.all(halves.map((members) => ask({ ...family, members })))
      } else {
        for (const { text } of family.members) answers.failed.set(text, error)
      }
    }
  }
  await Promise.all(familiesOf(counters).map(ask))
  return answers
}

function* reading(
  data: RangeSeries[],
  textOf: ReturnType<typeof memberOf>,
  into: CounterAnswers['values'],
): Steps<void> {
  for (const { metric, values } of data) {
    const text = textOf(metric)
    if (text !== undefined) into.set(text, finite(values))
    yield
  }
}

/** The part that is missing may hold any number of events: it is not booked as a full answer. */
export function partialAnswer(): AppError {
  return new AppError('source_unavailable', 'Metrics source answered in part', {
    details: 'it could not reach some of its stores',
  })
}

function expressionOf(family: Family, { by, of, wrap = (sum) => sum }: Quantity): string {
  const selector = selectorOf(family)
  const inner = of({
    now: selector,
    before: (seconds) => `${selector} offset ${seconds}s`,
    over: (seconds) => `${selector}[${seconds}s]`,
    lastKnown: `last_over_time(${selector}[12h] offset 1m)`,
  })
  return wrap(`${by}${family.labels.length > 0 ? ` by (${family.labels.join(', ')})` : ''} (${inner})`)
}

function finite(points: readonly (readonly [number, string])[]): Series {
  const series: Series = new Map()
  for (const [time, text] of points) {
    const value = Number(text)
    if (Number.isFinite(value)) series.set(time, value)
  }
  return series
}
