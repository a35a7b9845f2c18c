import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Annotations } from '../../src/embedded/promql/annotations.ts'
import { startExperimental } from '../support/experimental-prometheus.ts'
import { describeOnNewer } from '../support/newer-components.ts'
import { mismatches, type Question } from '../embedded/promql/both-answers.ts'
import type { Outcome } from '../embedded/promql/outcomes.ts'
import { newerQuery } from '../embedded/promql/newer-generated.ts'
import { newerPicked } from '../embedded/promql/newer-picked.ts'
import { newerSeries } from '../embedded/promql/newer-samples.ts'
import { oddQueries } from '../embedded/promql/odd-arguments.ts'
import { pick, seeded } from '../embedded/promql/random.ts'
import { endMs, readerOf, remoteSamples, startMs } from '../embedded/promql/samples.ts'

const generated = Number(process.env['NINES_QUERIES'] ?? 1500)
const seed = Number(process.env['NINES_SEED'] ?? 3)
// At the samples and between them.
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

  const mismatchesOf = (questions: Question[]) =>
    mismatches(questions, {
      reader,
      url,
      isComparable: ({ raw }) => 'data' in raw && JSON.stringify(raw.data?.result) !== '[]',
      alsoDiffers: ({ question, own, other, raw }) =>
        differentRemarks(own, raw) ?? differentOrder(question.query, own, other),
    })

  test('gives the same for queries that were picked by hand', async () => {
    const { found, share } = await mismatchesOf(
      newerPicked.flatMap((query): Question[] => [
        ...instants.map((atMs) => ({ query, atMs })),
        ...(isOnlyInstant(query) ? [] : ranges.map((times) => ({ query, ...times }))),
      ]),
    )
    expect(found).toEqual([])
    expect(share).toBeGreaterThan(0.4)
  }, 60_000)

  test('gives the same where an argument is NaN, infinite, too great, below what is expected, or has no series', async () => {
    const { found, share } = await mismatchesOf(
      oddQueries.flatMap((query): Question[] => [
        { query, atMs: startMs + 1_503_123 },
        { query, startMs: startMs + 300_000, endMs: endMs - 600_000, stepMs: 60_000 },
      ]),
    )
    expect(found).toEqual([])
    expect(share).toBeGreaterThan(0.4)
  }, 120_000)

  test('gives the same for generated queries', async () => {
    const random = seeded(seed)
    const questions = Array.from({ length: generated }, (): Question => {
      const query = newerQuery(random)
      return random() < 0.5 || isOnlyInstant(query)
        ? { query, atMs: pick(random, instants) }
        : { query, ...pick(random, ranges) }
    })
    const { found, share } = await mismatchesOf(questions)
    expect(found).toEqual([])
    expect(share).toBeGreaterThan(0.5)
  }, 120_000)
})

/** True for queries with `info`: over a range, Prometheus 3.5 mixes up series if one has ended. */
const isOnlyInstant = (query: string) => query.includes('info(')

/** Difference of annotations. Errors have none in nines; of more than ten, Prometheus returns any ten. */
function differentRemarks(own: Outcome, answer: Partial<Annotations>): string | undefined {
  if (own.type === 'error') return undefined
  for (const kind of ['warnings', 'infos'] as const) {
    const all = 'annotations' in own ? (own.annotations?.[kind] ?? []) : []
    const remarks = all.filter((remark) => !remark.includes('takes native histograms'))
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
