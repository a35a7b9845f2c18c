import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cleanUpAtTheEnd } from '../support/kit.ts'
import { describeOnNewer, newer } from '../support/newer-components.ts'
import { startFedPrometheus } from '../support/fed-prometheus.ts'
import { type Both, mismatches, type Question } from '../embedded/promql/both-answers.ts'
import { generatedQuery } from '../embedded/promql/generated.ts'
import { handPicked } from '../embedded/promql/hand-picked.ts'
import { withPatterns } from '../embedded/promql/patterns.ts'
import { pick, seeded } from '../embedded/promql/random.ts'
import { endMs, readerOf, remoteSamples, startMs, generatedSeries } from '../embedded/promql/samples.ts'

const generated = 4000
const instants = [startMs + 60_007, startMs + 900_000, startMs + 1_503_123, endMs, endMs + 299_999, endMs + 400_000]
const ranges = [
  { startMs: startMs - 30_000, endMs, stepMs: 60_000 },
  { startMs: startMs + 600_000, endMs: startMs + 1_200_000, stepMs: 7000 },
  { startMs: startMs + 1_100_001, endMs: endMs + 400_000, stepMs: 33_333 },
]

/** True if an answer contains something to compare. */
function isComparable({ other: answer }: Both): boolean {
  if (answer.type === 'vector') return answer.samples.length > 0
  return answer.type === 'matrix' ? answer.series.length > 0 : answer.type !== 'error'
}

describeOnNewer('the evaluator beside a real Prometheus with the same samples', () => {
  const series = generatedSeries()
  const reader = readerOf(series)
  let url = ''
  let stop = async () => {}

  beforeAll(async () => {
    const dir = mkdtempSync(join(tmpdir(), 'nines-promql-'))
    stop = cleanUpAtTheEnd(dir)
    const prometheus = await startFedPrometheus(join(dir, 'prometheus'), remoteSamples(series), {
      program: newer.prometheus,
    })
    await prometheus.advanceTo(endMs / 1000 + 60)
    url = prometheus.url
  }, 30_000)
  afterAll(() => stop())

  const mismatchesOf = (questions: Question[]) => mismatches(questions, { reader, url, isComparable })

  test('gives the same for queries that were picked by hand', async () => {
    const questions = [...handPicked, ...withPatterns].flatMap((query): Question[] => [
      ...instants.map((atMs) => ({ query, atMs })),
      ...ranges.map((times) => ({ query, ...times })),
    ])
    const { found, share } = await mismatchesOf(questions)
    expect(found).toEqual([])
    expect(share).toBeGreaterThan(0.5)
  }, 30_000)

  test('gives the same for generated queries', async () => {
    const random = seeded(20)
    const questions = Array.from({ length: generated }, (): Question => {
      const query = generatedQuery(random)
      return random() < 0.5 ? { query, atMs: pick(random, instants) } : { query, ...pick(random, ranges) }
    })
    const { found, share } = await mismatchesOf(questions)
    expect(found).toEqual([])
    expect(share).toBeGreaterThan(0.5)
  }, 30_000)
})
