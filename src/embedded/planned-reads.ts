import { AppError } from '../errors.ts'
import type { Matcher } from './promql/matchers.ts'
import type { SampleReader } from './promql/reader.ts'

export type Read = { matchers: readonly Matcher[]; fromMs: number; toMs: number }

/** What an evaluation will read. It is tried on no samples at all: what it reads does not depend on what it finds. */
export function plannedReads(evaluate: (reader: SampleReader) => unknown): Read[] {
  const reads: Read[] = []
  const reader: SampleReader = {
    select(matchers, fromMs, toMs) {
      reads.push({ matchers, fromMs, toMs })
      return []
    },
  }
  try {
    evaluate(reader)
  } catch (error) {
    if (!(error instanceof AppError && error.kind === 'source_refused')) throw error // that nothing was found says nothing
  }
  return reads
}

/** The same text for reads that find the same. */
export function keyOfRead({ matchers, fromMs, toMs }: Read): string {
  return JSON.stringify([fromMs, toMs, matchers.map(({ name, operator, value }) => [name, operator, value])])
}
