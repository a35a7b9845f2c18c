import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inChunks } from '../../src/concurrency/chunks.ts'
import { evaluateInstant, evaluateRange } from '../../src/embedded/promql/query.ts'
import { AppError } from '../../src/errors.ts'
import { cleanUpAtTheEnd } from '../support/kit.ts'
import { describeOnNewer, newer } from '../support/newer.ts'
import { startFedPrometheus } from '../support/fed-prometheus.ts'
import { type Answer, difference, type Outcome, outcomeOf } from '../embedded/promql/outcomes.ts'
import { generatedQuery } from '../embedded/promql/generated.ts'
import { handPicked } from '../embedded/promql/hand-picked.ts'
import { withPatterns } from '../embedded/promql/patterns.ts'
import { pick, seeded } from '../embedded/promql/random.ts'
import { endMs, readerOf, remoteSamples, startMs, generatedSeries } from '../embedded/promql/samples.ts'

const generated = 4000
const atOnce = 20
const limits = { maxSamples: 50_000_000, maxSeries: 10_000, expired: () => false }
const options = { limits, subqueryStepMs: 5000 } // the evaluation_interval of start-prometheus.sh

type Question = { query: string } & ({ atMs: number } | { startMs: number; endMs: number; stepMs: number })

const instants = [startMs + 60_007, startMs + 900_000, startMs + 1_503_123, endMs, endMs + 299_999, endMs + 400_000]
const ranges = [
  { startMs: startMs - 30_000, endMs, stepMs: 60_000 },
  { startMs: startMs + 600_000, endMs: startMs + 1_200_000, stepMs: 7000 },
  { startMs: startMs + 1_100_001, endMs: endMs + 400_000, stepMs: 33_333 },
]

/** Whether there is something in an answer to compare. */
function isComparable(answer: Outcome): boolean {
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

  const ours = (question: Question) => {
    try {
      if ('atMs' in question) return evaluateInstant(reader, question.query, question.atMs, options)
      return evaluateRange(reader, question.query, question, options)
    } catch (error) {
      if (error instanceof AppError) return { type: 'error' as const, error: error.details ?? error.message }
      throw error
    }
  }

  const theirs = async (question: Question) => {
    const times: Record<string, number> =
      'atMs' in question
        ? { time: question.atMs / 1000 }
        : { start: question.startMs / 1000, end: question.endMs / 1000, step: question.stepMs / 1000 }
    const pairs = Object.entries(times).map(([name, value]): [string, string] => [name, String(value)])
    const path = 'atMs' in question ? 'query' : 'query_range'
    const body = new URLSearchParams([['query', question.query], ...pairs])
    const answer: Answer = JSON.parse(await (await fetch(`${url}/api/v1/${path}`, { method: 'POST', body })).text())
    return outcomeOf(answer)
  }

  const mismatches = async (questions: Question[]) => {
    const found: string[] = []
    let comparable = 0
    for (const some of inChunks(questions, atOnce)) {
      const answers = await Promise.all(some.map(theirs))
      some.forEach((question, index) => {
        const answer = answers[index]
        if (!answer) throw new Error('no answer')
        if (isComparable(answer)) comparable += 1
        const problem = difference(ours(question), answer)
        if (problem !== undefined) found.push(`${JSON.stringify(question)}: ${problem}`)
      })
    }
    return { found, share: comparable / questions.length }
  }

  test('gives the same for queries that were picked by hand', async () => {
    const questions = [...handPicked, ...withPatterns].flatMap((query): Question[] => [
      ...instants.map((atMs) => ({ query, atMs })),
      ...ranges.map((times) => ({ query, ...times })),
    ])
    const { found, share } = await mismatches(questions)
    expect(found).toEqual([])
    expect(share).toBeGreaterThan(0.5)
  }, 30_000)

  test('gives the same for generated queries', async () => {
    const random = seeded(20)
    const questions = Array.from({ length: generated }, (): Question => {
      const query = generatedQuery(random)
      return random() < 0.5 ? { query, atMs: pick(random, instants) } : { query, ...pick(random, ranges) }
    })
    const { found, share } = await mismatches(questions)
    expect(found).toEqual([])
    expect(share).toBeGreaterThan(0.5)
  }, 30_000)
})
