import { afterAll, beforeAll, expect, test } from 'bun:test'
import { inChunks } from '../../src/concurrency/chunks.ts'
import type { Annotations } from '../../src/embedded/promql/annotations.ts'
import { evaluateInstant, evaluateRange, type Result } from '../../src/embedded/promql/query.ts'
import { AppError } from '../../src/errors.ts'
import { startExperimental } from '../support/experimental-prometheus.ts'
import { describeOnNewer } from '../support/newer.ts'
import { type Answer, difference, type Outcome, outcomeOf } from '../embedded/promql/outcomes.ts'
import { newerQuery } from '../embedded/promql/newer-generated.ts'
import { newerPicked } from '../embedded/promql/newer-picked.ts'
import { newerSeries } from '../embedded/promql/newer-samples.ts'
import { pick, seeded } from '../embedded/promql/random.ts'
import { endMs, readerOf, remoteSamples, startMs } from '../embedded/promql/samples.ts'

const generated = Number(process.env['NINES_QUERIES'] ?? 1500)
const seed = Number(process.env['NINES_SEED'] ?? 3)
const atOnce = 20
const limits = { maxSamples: 50_000_000, maxSeries: 10_000, expired: () => false }
const options = { limits, subqueryStepMs: 5000 }

type Question = { query: string } & ({ atMs: number } | { startMs: number; endMs: number; stepMs: number })

// At the samples and beside them.
const instants = [startMs + 60_000, startMs + 1_200_000, startMs + 1_503_123, endMs - 1]
const ranges = [
  { startMs: startMs + 300_000, endMs: endMs - 600_000, stepMs: 60_000 },
  { startMs: startMs + 1_100_003, endMs: endMs - 300_000, stepMs: 45_000 },
]

describeOnNewer('what came with Prometheus 3, beside a real one with the same samples', () => {
  const series = newerSeries()
  const reader = readerOf(series)
  let url = ''
  let stop = async () => {}

  beforeAll(async () => {
    ;({ url, stop } = await startExperimental(remoteSamples(series)))
  }, 30_000)
  afterAll(() => stop())

  const ours = (question: Question): Outcome => {
    try {
      if ('atMs' in question) return evaluateInstant(reader, question.query, question.atMs, options)
      return evaluateRange(reader, question.query, question, options)
    } catch (error) {
      if (error instanceof AppError) return { type: 'error', error: error.details ?? error.message }
      throw error
    }
  }

  const theirs = async (question: Question): Promise<Answer & Partial<Annotations>> => {
    const { query, ...times } = question
    const parameters: Record<string, number> =
      'atMs' in times
        ? { time: times.atMs / 1000 }
        : { start: times.startMs / 1000, end: times.endMs / 1000, step: times.stepMs / 1000 }
    const pairs = Object.entries(parameters).map(([name, value]): [string, string] => [name, String(value)])
    const path = 'atMs' in times ? 'query' : 'query_range'
    const body = new URLSearchParams([['query', query], ...pairs])
    return JSON.parse(await (await fetch(`${url}/api/v1/${path}`, { method: 'POST', body })).text())
  }

  const mismatches = async (questions: Question[]) => {
    const found: string[] = []
    let answered = 0
    for (const some of inChunks(questions, atOnce)) {
      const answers = await Promise.all(some.map(theirs))
      for (const [place, question] of some.entries()) {
        const answer = answers[place]
        if (!answer) throw new Error('no answer')
        const [own, other] = [ours(question), outcomeOf(answer)]
        if ('data' in answer && JSON.stringify(answer.data?.result) !== '[]') answered += 1
        const problem =
          difference(own, other) ?? differentRemarks(own, answer) ?? differentOrder(question.query, own, other)
        if (problem !== undefined) found.push(`${JSON.stringify(question)}: ${problem}`)
      }
    }
    return { found, share: answered / questions.length }
  }

  test('gives the same for queries that were picked by hand', async () => {
    const { found, share } = await mismatches(
      newerPicked.flatMap((query): Question[] => [
        ...instants.map((atMs) => ({ query, atMs })),
        ...(isOnlyInstant(query) ? [] : ranges.map((times) => ({ query, ...times }))),
      ]),
    )
    expect(found).toEqual([])
    expect(share).toBeGreaterThan(0.4)
  }, 60_000)

  test('gives the same for generated queries', async () => {
    const random = seeded(seed)
    const questions = Array.from({ length: generated }, (): Question => {
      const query = newerQuery(random)
      return random() < 0.5 || isOnlyInstant(query)
        ? { query, atMs: pick(random, instants) }
        : { query, ...pick(random, ranges) }
    })
    const { found, share } = await mismatches(questions)
    expect(found).toEqual([])
    expect(share).toBeGreaterThan(0.5)
  }, 120_000)
})

/** Over a range, the `info` of Prometheus 3.5 takes one series for another where one has ended. */
const isOnlyInstant = (query: string) => query.includes('info(')

/** Errors have none of ours; of more than ten, Prometheus takes any. */
function differentRemarks(own: Result | { type: 'error' }, answer: Partial<Annotations>): string | undefined {
  if (own.type === 'error') return undefined
  for (const kind of ['warnings', 'infos'] as const) {
    const remarks = 'annotations' in own ? (own.annotations?.[kind] ?? []) : []
    const [left, right] = [remarks.toSorted(), (answer[kind] ?? []).toSorted()]
    const isSame = left.length > 10 ? left.length === right.length : Bun.deepEquals(left, right)
    if (!isSame) return `our ${kind} are ${JSON.stringify(left)}, theirs ${JSON.stringify(right)}`
  }
  return undefined
}

function differentOrder(query: string, own: { type: string }, other: { type: string }): string | undefined {
  if (!query.startsWith('sort_by_label') || own.type !== 'vector') return undefined
  const [left, right] = [own, other].map((result) => {
    const samples = 'samples' in result && Array.isArray(result.samples) ? result.samples : []
    return samples.map(({ labels }) => JSON.stringify(Object.entries(labels).toSorted()))
  })
  return Bun.deepEquals(left, right) ? undefined : `the order is ${left?.join(' ')}, theirs ${right?.join(' ')}`
}
