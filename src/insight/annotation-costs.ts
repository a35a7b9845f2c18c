import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Clock } from '../clock.ts'
import type { Database, Db } from '../db/open.ts'
import type { AnnotationRow, SloRow } from '../db/tables/tables.ts'
import { listStatesOf, type SloState } from '../evaluation/state-store.ts'
import { floorTo, minute, type Resolution } from '../ledger/bucket.ts'
import { countsEvents } from '../ledger/measure/measure-ledger.ts'
import { listReaches } from '../ledger/reach-store.ts'
import { finestStoredResolution, type LedgerWindow } from '../ledger/window-spans.ts'
import { sumWindows } from '../ledger/window-sums.ts'
import type { Planner } from '../sli/plan/planner.ts'
import { getAnnotation, listDeploysAfter, listMatchedSlos } from '../slos/annotations/store.ts'
import { allowedInWindow, burnedPercent, round10 } from '../slos/arithmetic/budget.ts'
import { ownWindow, shareOfOwnWindow } from '../slos/arithmetic/own-window.ts'
import type { Reach } from '../slos/arithmetic/reach.ts'
import type { WindowSum } from '../slos/arithmetic/window-sum.ts'
import { nominalSeconds } from '../slos/arithmetic/windows.ts'
import { parseLabels } from '../slos/labels.ts'

/** Maximum number of SLOs in one answer; `sloCount` counts all. */
const maxSlos = 100

/** Good and bad events, or seconds, of a span, and their share of the budget; null: nothing was measured, or it is not known yet. */
export type SpanCost = {
  startSeconds: number
  good: number
  bad: number
  budgetPercent: number | null
  coverage: number
}

/**
 * Budget of one SLO that was used in `[after.startSeconds, endSeconds)`, from an annotation until the next deploy, and in as long a
 * time before. Both are shares of the budget of the window up to `endSeconds`. `isComplete`: the span has ended and is measured,
 * and no backfill is running.
 */
export type SloCost = {
  slo: Pick<SloRow, 'id' | 'name'>
  countsEvents: boolean
  next: AnnotationRow | null
  endSeconds: number
  isComplete: boolean
  resolution: Resolution
  after: SpanCost
  before: SpanCost
}

export type AnnotationCost = { annotation: AnnotationRow; sloCount: number; slos: SloCost[] }

type Deps = { db: Database; clock: Clock; planner: Planner }

/**
 * Budget that the SLOs of an annotation used until their next deploy, at most for the length of their window, by the ledger. The
 * number of SQL statements does not grow with the number of SLOs.
 */
export async function annotationCost(
  { db, clock, planner }: Deps,
  organizationId: number,
  id: number,
): Promise<AnnotationCost> {
  const annotation = await getAnnotation(db.read, organizationId, id)
  const nowSeconds = Math.floor(clock.now() / 1000)
  const { slos: matched, count: sloCount } = await listMatchedSlos(db.read, annotation, maxSlos)
  const ids = matched.map(({ id: sloId }) => sloId)
  const states = await listStatesOf(db.read, ids)
  const nexts = await nextDeploys(db.read, annotation, states, clock.now())
  const spans = states.map((state) => {
    return { ...spanOf(state, annotation.at, nexts.get(state.slo.id) ?? null, nowSeconds), slo: state.slo }
  })
  const windows = spans.flatMap(({ slo, startSeconds, endSeconds, beforeSeconds }): LedgerWindow[] => {
    const own = { sloId: slo.id, revision: slo.revision }
    return [
      { ...own, startSeconds, endSeconds, keepsLead: true },
      { ...own, startSeconds: beforeSeconds, endSeconds: startSeconds, keepsLead: true },
      { ...own, startSeconds: ownWindow(slo, endSeconds).startSeconds, endSeconds },
    ]
  })
  const sums = await sumWindows(db.read, windows, nowSeconds)
  const revisions = spans.map(({ slo }) => ({ sloId: slo.id, revision: slo.revision }))
  const reaches = await listReaches(db.read, revisions, nowSeconds)
  const slos = spans.map(({ slo, ...span }, place): SloCost => {
    const [after = zeroSum, before = zeroSum, whole = zeroSum] = sums.slice(3 * place, 3 * place + 3)
    const { startSeconds, endSeconds, beforeSeconds, next, isMeasured, resolution } = span
    const allowed = allowedFailures(slo, whole, reaches[place], endSeconds)
    return {
      slo,
      countsEvents: countsEvents(planner.plan(slo).plan),
      next,
      endSeconds,
      isComplete: isMeasured && !reaches[place]?.isFilling,
      resolution,
      after: costOf(after, { startSeconds, endSeconds }, allowed),
      before: costOf(before, { startSeconds: beforeSeconds, endSeconds: startSeconds }, allowed),
    }
  })
  return { annotation, sloCount, slos }
}

const zeroSum: WindowSum = { good: 0, total: 0, coveredSeconds: 0 }

/**
 * Span of one SLO. Begin and end are both rounded down to buckets that are still stored, so that a failure counts for one deploy only.
 */
function spanOf({ slo, state }: SloState, atMs: number, next: AnnotationRow | null, nowSeconds: number) {
  const roundDown = (seconds: number) => floorTo(seconds, finestStoredResolution(seconds, nowSeconds))
  const atSeconds = Math.floor(atMs / 1000)
  const startSeconds = roundDown(atSeconds)
  const lastSeconds = atSeconds + nominalSeconds(slo.time_window)
  const untilSeconds = roundDown(next ? Math.min(Math.floor(next.at / 1000), lastSeconds) : lastSeconds)
  const measuredSeconds = floorTo((state?.measured_at ?? 0) / 1000, minute)
  const endSeconds = Math.max(startSeconds, Math.min(untilSeconds, measuredSeconds))
  const beforeSeconds = roundDown(2 * startSeconds - endSeconds)
  const resolution = finestStoredResolution(beforeSeconds, nowSeconds)
  return { startSeconds, endSeconds, beforeSeconds, next, isMeasured: measuredSeconds >= untilSeconds, resolution }
}

/** Failures that the budget of the window up to a time allows; null: not known. */
function allowedFailures(slo: SloRow, window: WindowSum, reach: Reach | undefined, endSeconds: number): number | null {
  const share = reach ? shareOfOwnWindow(reach, ownWindow(slo, endSeconds)) : null
  return share ? allowedInWindow(window.total, slo.target, share) : null
}

function costOf(
  { good, total, coveredSeconds }: WindowSum,
  { startSeconds, endSeconds }: { startSeconds: number; endSeconds: number },
  allowed: number | null,
): SpanCost {
  const bad = Math.max(0, total - good)
  const isKnown = coveredSeconds > 0 && allowed !== null
  return {
    startSeconds,
    good: round10(good),
    bad: round10(bad),
    budgetPercent: isKnown ? round10(burnedPercent(bad, allowed)) : null,
    coverage: endSeconds > startSeconds ? round10(Math.min(1, coveredSeconds / (endSeconds - startSeconds))) : 0,
  }
}

const deploysPerPage = 500

/** First deploy after an annotation that each SLO matches, by the id of the SLO. */
async function nextDeploys(
  db: Db,
  annotation: AnnotationRow,
  states: SloState[],
  nowMs: number,
): Promise<Map<number, AnnotationRow>> {
  const pending = new Map(states.map(({ slo }) => [slo.id, parseLabels(slo)]))
  const longestMs = Math.max(0, ...states.map(({ slo }) => nominalSeconds(slo.time_window))) * 1000
  const untilMs = Math.min(nowMs, annotation.at + longestMs)
  const nexts = new Map<number, AnnotationRow>()
  let last: AnnotationRow | undefined = annotation
  while (last && pending.size > 0) {
    const deploys: AnnotationRow[] = await listDeploysAfter(db, last, untilMs, deploysPerPage)
    for (const deploy of deploys) {
      const labels = Object.entries(parseLabels(deploy))
      for (const [sloId, own] of pending) {
        if (!labels.every(([key, value]) => own[key] === value)) continue
        nexts.set(sloId, deploy)
        pending.delete(sloId)
      }
    }
    last = deploys.length === deploysPerPage ? deploys.at(-1) : undefined
    await yieldToEventLoop()
  }
  return nexts
}
