import { setImmediate as nextTurn } from 'node:timers/promises'
import { inChunks } from '../concurrency/chunks.ts'
import type { Clock } from '../clock.ts'
import { aroundDamage } from '../db/failures/damage.ts'
import type { Database, Db } from '../db/open.ts'
import { AppError, isDatabaseDamaged } from '../errors.ts'
import { assess, errorBudget } from '../slos/arithmetic/budget.ts'
import { type BurnRate, burnRatesOf } from '../slos/arithmetic/burn-rates.ts'
import { tiersOf } from '../slos/alerting/tiers.ts'
import { currentWindow, windowSeconds } from '../slos/arithmetic/windows.ts'
import { minutesToMeasure } from '../ledger/catch-up-store.ts'
import { measureLedger } from '../ledger/measure/measure-ledger.ts'
import type { MeasuredBuckets } from '../ledger/bucket.ts'
import { putBuckets } from '../ledger/bucket-store.ts'
import { rateOfSum, type WindowRate } from '../ledger/window-rate.ts'
import { sumWindows } from '../ledger/window-sums.ts'
import type { SloRow } from '../db/tables/tables.ts'
import type { PlannedSlo } from '../sli/plan/planned-slo.ts'
import type { Planner } from '../sli/plan/planner.ts'
import { sharingTime, type Source } from '../sources/source.ts'
import type { Evaluation } from './evaluation.ts'
import { putEvaluations } from './evaluation-store.ts'
import { measureValues, type Memory, type Values } from './measure-values.ts'

/** What else an evaluation changes, in the transaction that stores it: await nothing but SQL. */
export type OnEvaluations = (trx: Db, evaluations: Evaluation[]) => Promise<void>

export type EvaluateDeps = {
  db: Database
  clock: Clock
  planner: Planner
  memory: Memory
  onEvaluations: OnEvaluations
}

type Batch = {
  source: Source
  /** Names what the source is; where it changes, what was learned from the old one is no longer built upon. */
  origin: string
  planned: PlannedSlo[]
  /** A whole minute, Unix seconds: the end of every window. */
  atSeconds: number
  /** While there is, what is merely aged or invalidated is asked again too. */
  hasTime: () => boolean
}

/** `isSilent`: the source has answered nothing at all. */
export type Evaluated = { evaluations: Evaluation[]; isSilent: boolean }

const readAtOnce = 50
const writtenAtOnce = 1000

/**
 * Evaluates SLOs of one source together and stores what was found: minutes into the ledger, then values, budget, burn
 * rates and status of each. An SLO that the source gives no answer for, or that a damaged database keeps from being
 * evaluated, is stored as `source_error`; none waits for another.
 */
export async function evaluateBatch(deps: EvaluateDeps, batch: Batch): Promise<Evaluated> {
  const { clock } = deps
  const { atSeconds } = batch
  const parts = await aroundDamage(
    batch.planned,
    async (planned) => [await measureBatch(deps, { ...batch, planned })],
    ({ slo }, error) => [{ evaluations: [unreadable(slo, error, atSeconds, clock.now())], isSilent: false }],
  )
  const evaluations = parts.flatMap((part) => part.evaluations)
  await store(deps, evaluations)
  return { evaluations, isSilent: parts.every(({ isSilent }) => isSilent) }
}

/** Where alerts cannot be read or written, an evaluation is stored without them; what cannot be stored is passed over. */
async function store({ db, onEvaluations }: EvaluateDeps, evaluations: Evaluation[]): Promise<void> {
  const put = (some: Evaluation[], then: OnEvaluations) =>
    db.write.transaction().execute(async (trx) => {
      await putEvaluations(trx, some)
      await then(trx, some)
    })
  const lacking = await aroundDamage(
    evaluations,
    async (some) => {
      await put(some, onEvaluations)
      return []
    },
    (one) => [one],
  )
  for (const one of lacking) {
    await put([one], async () => {}).catch((error: unknown) => {
      if (!isDatabaseDamaged(error)) throw error
    })
  }
}

async function measureBatch(deps: EvaluateDeps, batch: Batch): Promise<Evaluated> {
  const { db, clock } = deps
  const { source, atSeconds } = batch
  // What is asked at once shares its time; what is asked next has its own, or one slow query would take that of all.
  const planned = await deps.planner.verify(sharingTime(source), batch.planned, atSeconds)
  const minutes = await bringLedgerUpTo(db, sharingTime(source), planned, atSeconds)
  const values = await measureValues(deps, { ...batch, planned, minutes })
  const rates = new Map<number, Rates>()
  for (const some of inChunks(planned, readAtOnce)) {
    for (const [id, rate] of await readLedger(db, some, atSeconds)) rates.set(id, rate)
    await nextTurn() // SQLite answers at once: others are served in between
  }
  const evaluatedAtMs = clock.now()
  const evaluations = planned.map(({ slo }) =>
    evaluationOf(slo, values.get(slo.id) ?? missing, rates.get(slo.id), atSeconds, evaluatedAtMs),
  )
  const asked = planned.filter(({ plan }) => !plan.rawQuantity)
  const isSilent =
    asked.length > 0 &&
    asked.every(({ slo }) => {
      const current = values.get(slo.id)?.current
      return (
        current && 'error' in current && current.error.kind !== 'source_refused' && !isDatabaseDamaged(current.error)
      )
    })
  return { evaluations, isSilent }
}

function evaluationOf(
  slo: SloRow,
  { current, own, events }: Values,
  rate: Rates | undefined,
  atSeconds: number,
  evaluatedAtMs: number,
): Evaluation {
  const failure = failureOf(current)
  const budget = errorBudget(percentOf(own), slo.target)
  return {
    sloId: slo.id,
    organizationId: slo.organization_id,
    revision: slo.revision,
    sloUpdatedAtMs: slo.updated_at,
    atSeconds,
    evaluatedAtMs,
    status: assess(percentOf(current), slo.target, budget.percentageUsed),
    ...(failure ?? reasonOf(current, own)),
    failed: failure !== null,
    current: percentOf(current),
    own: percentOf(own),
    budgetUsed: budget.percentageUsed,
    goodEvents: events?.good ?? null,
    totalEvents: events?.total ?? null,
    currentCoverage: rate?.currentCoverage ?? null,
    ownCoverage: rate?.ownCoverage ?? null,
    burnRates: rate?.burnRates ?? [],
  }
}

function unreadable(slo: SloRow, error: unknown, atSeconds: number, evaluatedAtMs: number): Evaluation {
  if (!(error instanceof AppError)) throw error
  return evaluationOf(slo, { current: { error }, own: null, events: null }, undefined, atSeconds, evaluatedAtMs)
}

const missing: Values = {
  current: { error: new AppError('source_unavailable', 'Metrics source did not answer') },
  own: null,
  events: null,
}

/** Measures what each SLO lacks up to now, those that lack the same together. */
async function bringLedgerUpTo(
  db: Database,
  source: Source,
  planned: PlannedSlo[],
  atSeconds: number,
): Promise<Map<number, MeasuredBuckets>> {
  const starts = await minutesToMeasure(db.read, planned, atSeconds)
  const groups = Map.groupBy(planned, ({ slo }) => starts.get(slo.id) ?? atSeconds)
  const measured = await Promise.all(
    [...groups].map(([startSeconds, group]) =>
      measureLedger(source, group, { resolution: 60, startSeconds, endSeconds: atSeconds }),
    ),
  )
  const bySlo = new Map(measured.flatMap((results) => [...results]))
  const rows = planned.flatMap(({ slo: { id: sloId, revision } }) => {
    const result = bySlo.get(sloId)
    if (!result || 'error' in result) return []
    return result.buckets.map((bucket) => ({ ...bucket, sloId, revision, resolution: 60 as const }))
  })
  for (const some of inChunks(rows, writtenAtOnce)) {
    await putBuckets(db.write, some)
    await nextTurn() // as above: SLOs that are new bring an hour each
  }
  return bySlo
}

type Rates = { burnRates: BurnRate[]; currentCoverage: number; ownCoverage: number }

/** Burn rates, and how much of both windows was measured: sums over the ledger, whatever the source remembers. */
async function readLedger(db: Database, planned: PlannedSlo[], atSeconds: number): Promise<Map<number, Rates>> {
  const wanted = planned.flatMap((one) => {
    const { time_window: own } = one.slo
    const tiers = tiersOf(one.slo)
    const lengths = new Set([
      windowSeconds(own),
      windowSeconds(currentWindow(own)),
      ...tiers.flatMap(({ longSeconds, shortSeconds }) => [longSeconds, shortSeconds]),
    ])
    return [...lengths].map((seconds) => ({ one, seconds }))
  })
  const sums = await sumWindows(
    db.read,
    wanted.map(({ one: { slo }, seconds }) => ({
      sloId: slo.id,
      revision: slo.revision,
      startSeconds: atSeconds - seconds,
      endSeconds: atSeconds,
    })),
    atSeconds,
  )
  const read = new Map<string, WindowRate>()
  wanted.forEach(({ one, seconds }, at) => {
    const sum = sums[at]
    if (sum) read.set(`${one.slo.id} ${seconds}`, rateOfSum(one, sum, seconds))
  })
  return new Map(
    planned.map(({ slo }) => {
      const over = (seconds: number) => read.get(`${slo.id} ${seconds}`) ?? unread
      const burnRates = burnRatesOf(tiersOf(slo), over)
      const currentCoverage = over(windowSeconds(currentWindow(slo.time_window))).coverage
      return [slo.id, { burnRates, currentCoverage, ownCoverage: over(windowSeconds(slo.time_window)).coverage }]
    }),
  )
}

const unread: WindowRate = { rate: null, badEvents: null, coverage: 0 }

function percentOf(value: Values['own']): number | null {
  return value && 'percent' in value ? value.percent : null
}

function failureOf(current: Values['current']): { reason: string; message: string } | null {
  return 'error' in current ? { reason: 'source_error', message: sentenceOf(current.error) } : null
}

function reasonOf(current: Values['current'], own: Values['own']): { reason: string | null; message: string | null } {
  if ('reason' in current) return current
  const isUnknown = own !== null && 'error' in own
  return { reason: null, message: isUnknown ? `The error budget is not known: ${sentenceOf(own.error)}` : null }
}

function sentenceOf({ message, details }: AppError): string {
  return [message, details].filter(Boolean).join(': ')
}
