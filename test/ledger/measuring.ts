import { afterEach, beforeEach } from 'bun:test'
import type { measureLedger } from '../../src/ledger/measure/measure-ledger.ts'
import type { Resolution, Bucket, Span, MeasuredBuckets } from '../../src/ledger/bucket.ts'
import { listBuckets } from '../../src/ledger/ledger-store.ts'
import { type PlannedSlo, planSli } from '../../src/sli/plan/plan.ts'
import { getSlo } from '../../src/slos/store.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { checkout } from '../support/slo-calls.ts'

type Measuring = {
  nines: TestApp
  /** Measurements requested so far, oldest first. */
  asked: { sloIds: number[]; span: Span }[]
  /** Result of measuring an SLO. An error fails all SLOs of the same request. */
  setResult(sloId: number, span: Span): MeasuredBuckets | Error
  measure: typeof measureLedger
  create(change?: object): Promise<PlannedSlo>
  read(id: number): Promise<PlannedSlo>
  /** Stored buckets from `startSeconds` on, oldest first. */
  buckets(planned: PlannedSlo, resolution: Resolution, startSeconds?: number): Promise<Bucket[]>
}

/** A new nines for each test, and a ledger measured by a script instead of a source. */
export function measuring(): Measuring {
  const made: { nines?: TestApp } = {}
  const it: Measuring = {
    get nines() {
      if (!made.nines) throw new Error('must be inside a test')
      return made.nines
    },
    asked: [],
    setResult: (_sloId, span) => evenly(span),
    async measure(_source, planned, span) {
      it.asked.push({ sloIds: planned.map(({ slo }) => slo.id), span })
      return new Map(
        planned.map(({ slo }) => {
          const said = it.setResult(slo.id, span)
          if (said instanceof Error) throw said
          return [slo.id, said]
        }),
      )
    },
    async create(change = {}) {
      const { body } = await it.nines.call('POST', '/api/v1/slos', { ...checkout, ...change })
      return it.read(body.id)
    },
    async read(id) {
      const slo = await getSlo(it.nines.app.db.read, 1, id)
      return { slo, plan: planSli(slo) }
    },
    buckets: ({ slo }, resolution, startSeconds = 0) =>
      listBuckets(it.nines.app.db.read, {
        sloId: slo.id,
        revision: slo.revision,
        resolution,
        startSeconds,
        endSeconds: 1e11,
      }),
  }
  beforeEach(async () => {
    made.nines = await testApp({ env: { SOURCE_URL: 'http://127.0.0.1:9' } })
    it.asked = []
    it.setResult = (_sloId, span) => evenly(span)
    await made.nines.join('ada')
  })
  afterEach(() => made.nines?.close())
  return it
}

/** Buckets with one event a second, all good, unless `change` sets other fields. */
export function evenly(
  span: Span,
  change: (bucket: Bucket) => Partial<Bucket> = () => ({}),
): { buckets: Bucket[]; firstBreakStart: null; lastBreakEnd: null } {
  const { resolution, startSeconds, endSeconds } = span
  const buckets = Array.from({ length: (endSeconds - startSeconds) / resolution }, (_, at) => {
    const even = { good: resolution, total: resolution, coveredSeconds: resolution, leadGood: 1, leadTotal: 1 }
    const bucket = { startSeconds: startSeconds + at * resolution, ...even }
    return { ...bucket, ...change(bucket) }
  })
  return { buckets, firstBreakStart: null, lastBreakEnd: null }
}

export const nothing = { good: 0, total: 0, coveredSeconds: 0, leadGood: 0, leadTotal: 0 }
