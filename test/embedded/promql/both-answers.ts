import { inChunks } from '../../../src/concurrency/chunks.ts'
import type { Annotations } from '../../../src/embedded/promql/annotations.ts'
import { evaluateInstant, evaluateRange } from '../../../src/embedded/promql/query.ts'
import type { SampleReader } from '../../../src/embedded/promql/reader.ts'
import { AppError } from '../../../src/errors.ts'
import { type Answer, difference, type Outcome, outcomeOf } from './outcomes.ts'

export type Question = { query: string } & ({ atMs: number } | { startMs: number; endMs: number; stepMs: number })

/** Answers of nines and Prometheus to one query; `raw`: Prometheus' whole answer. */
export type Both = { question: Question; own: Outcome; other: Outcome; raw: Answer & Partial<Annotations> }

type Options = {
  reader: SampleReader
  /** URL of a Prometheus with the same samples. */
  url: string
  /** True if there is something to compare. */
  isComparable: (both: Both) => boolean
  /** Another difference, as a sentence. */
  alsoDiffers?: (both: Both) => string | undefined
}

const atOnce = 20
const limits = { maxSamples: 50_000_000, maxSeries: 10_000, expired: () => false }
const options = { limits, subqueryStepMs: 5000 } // the evaluation_interval of start-prometheus.sh

/** Differences, one sentence each, and the share of queries with something to compare. */
export async function mismatches(
  questions: Question[],
  { reader, url, isComparable, alsoDiffers = () => undefined }: Options,
): Promise<{ found: string[]; share: number }> {
  const found: string[] = []
  let comparable = 0
  for (const some of inChunks(questions, atOnce)) {
    for (const both of await Promise.all(some.map((question) => ask(question, reader, url)))) {
      if (isComparable(both)) comparable += 1
      const problem = difference(both.own, both.other) ?? alsoDiffers(both)
      if (problem !== undefined) found.push(`${JSON.stringify(both.question)}: ${problem}`)
    }
  }
  return { found, share: comparable / questions.length }
}

async function ask(question: Question, reader: SampleReader, url: string): Promise<Both> {
  const raw = await theirs(question, url)
  return { question, own: ours(question, reader), other: outcomeOf(raw), raw }
}

function ours(question: Question, reader: SampleReader): Outcome {
  try {
    if ('atMs' in question) return evaluateInstant(reader, question.query, question.atMs, options)
    return evaluateRange(reader, question.query, question, options)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const { kind, details, message } = error
    return { type: 'error', error: details ?? message, errorType: kind === 'invalid' ? 'bad_data' : 'execution' }
  }
}

async function theirs(question: Question, url: string): Promise<Both['raw']> {
  const times: Record<string, number> =
    'atMs' in question
      ? { time: question.atMs / 1000 }
      : { start: question.startMs / 1000, end: question.endMs / 1000, step: question.stepMs / 1000 }
  const pairs = Object.entries(times).map(([name, value]): [string, string] => [name, String(value)])
  const path = 'atMs' in question ? 'query' : 'query_range'
  const body = new URLSearchParams([['query', question.query], ...pairs])
  return JSON.parse(await (await fetch(`${url}/api/v1/${path}`, { method: 'POST', body })).text())
}
