import type { Counter } from '../../promql/analysis/counters/counter-sum.ts'
import type { Source } from '../../sources/source.ts'
import { minute } from '../bucket.ts'
import { queryCounters, type CountedSlo, type CounterAnswers, countersOf } from '../counters/query-counters.ts'
import { countBeforeReturn, leadByStep, maxCommonGapSeconds, maxGapSeconds } from '../counters/quantities.ts'
import type { Sampling } from '../counters/sampling.ts'
import { countSteps } from '../counters/steps.ts'

/** Additional answers for minutes in which counters appeared, disappeared or were reset. */
export type BreakAnswers = Record<'gain' | 'leads', CounterAnswers>

const minJoinSeconds = 300
const maxRuns = 12

/**
 * Gains and leads of the minutes in which counters may have appeared, disappeared or been reset, counted sample by sample. `unsure`:
 * ends of these minutes by SLO id. Null if there are none.
 */
export async function queryAtBreaks(
  source: Source,
  slos: CountedSlo[],
  unsure: Map<number, number[]>,
  samplings: Map<number, Sampling>,
): Promise<BreakAnswers | null> {
  const breaking = slos.filter(({ sloId }) => unsure.get(sloId)?.length)
  if (breaking.length === 0) return null
  const bySteps = Map.groupBy(breaking, ({ sloId }) => samplings.get(sloId)?.stepSeconds ?? minute)
  const answers = await Promise.all([...bySteps].flatMap(([step, some]) => queryRuns(source, some, unsure, step)))
  return { gain: joined(answers.map(({ gain }) => gain)), leads: joined(answers.map(({ leads }) => leads)) }
}

function queryRuns(
  source: Source,
  slos: CountedSlo[],
  unsure: Map<number, number[]>,
  stepSeconds: number,
): Promise<BreakAnswers>[] {
  const ends = [...new Set(slos.flatMap(({ sloId }) => unsure.get(sloId) ?? []))].toSorted((a, b) => a - b)
  return runsOf(ends).map(async (span) => {
    const isInside = (end: number) => end > span.startSeconds && end <= span.endSeconds
    const counters = slos.filter(({ sloId }) => unsure.get(sloId)?.some(isInside)).flatMap(countersOf)
    const [answers, presentBefore] = await Promise.all([
      queryRun(source, counters, span, { stepSeconds, gapSeconds: maxGapSeconds }),
      queryCounters(source, counters, countBeforeReturn, gridOf(span)),
    ])
    const wasAway = ({ text }: Counter) =>
      !presentBefore.failed.has(text) &&
      ends.some((end) => isInside(end) && presentBefore.values.get(text)?.get(end) === undefined)
    const away = counters.filter(wasAway)
    if (away.length === 0) return answers
    const longer = await queryRun(source, away, span, { stepSeconds, gapSeconds: maxCommonGapSeconds })
    // counters that failed with the longer lookback have the answer of the shorter one
    const preferred = ({ values }: CounterAnswers, other: CounterAnswers) =>
      joined([{ values, failed: new Map() }, other])
    return { gain: preferred(longer.gain, answers.gain), leads: preferred(longer.leads, answers.leads) }
  })
}

type RunSpan = { startSeconds: number; endSeconds: number }

async function queryRun(
  source: Source,
  counters: Counter[],
  span: RunSpan,
  { stepSeconds, gapSeconds }: { stepSeconds: number; gapSeconds: number },
): Promise<BreakAnswers> {
  const [gain, leads] = await Promise.all([
    countSteps(source, counters, span, { stepSeconds, gapSeconds, bucketSeconds: minute }),
    queryCounters(source, counters, leadByStep(stepSeconds, gapSeconds), gridOf(span)),
  ])
  return { gain, leads }
}

function gridOf({ startSeconds, endSeconds }: RunSpan) {
  return { startSeconds: startSeconds + minute, endSeconds, stepSeconds: minute }
}

/** Joins minutes that are near each other into a few spans. */
function runsOf(ends: number[]): RunSpan[] {
  const [first = 0, last = 0] = [ends[0], ends.at(-1)]
  const joinWithinSeconds = Math.max(minJoinSeconds, (last - first) / maxRuns)
  const runs: RunSpan[] = []
  for (const end of ends) {
    const run = runs.at(-1)
    if (run && end - run.endSeconds <= joinWithinSeconds) run.endSeconds = end
    else runs.push({ startSeconds: end - minute, endSeconds: end })
  }
  return runs
}

/** Joins answers; if several have a value for the same counter and time, the first counts. */
function joined(answers: CounterAnswers[]): CounterAnswers {
  const [only] = answers
  if (only && answers.length === 1) return only
  const texts = new Set(answers.flatMap(({ values }) => [...values.keys()]))
  const get = (text: string) => (time: number) => {
    for (const { values } of answers) {
      const value = values.get(text)?.get(time)
      if (value !== undefined) return value
    }
    return undefined
  }
  return {
    values: new Map([...texts].map((text) => [text, { get: get(text) }])),
    failed: new Map(answers.flatMap(({ failed }) => [...failed])),
  }
}
