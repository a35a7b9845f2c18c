import type { Clock } from '../clock.ts'
import type { Database } from '../db/open.ts'
import type { SloRow, StateRow } from '../db/tables/tables.ts'
import { ceilTo, floorTo, minute } from '../ledger/bucket.ts'
import { resolutionName } from '../evaluation/corrections/model.ts'
import { findComposites, keyOf, type StoredComposite } from '../ledger/composite-store.ts'
import { sumExcluded } from '../ledger/excluded/excluded-store.ts'
import { masksOf } from '../ledger/excluded/masks.ts'
import { listReaches } from '../ledger/reach-store.ts'
import { finestStoredResolution, type LedgerWindow } from '../ledger/window-spans.ts'
import { sumWindows } from '../ledger/window-sums.ts'
import { allowedInWindow, burnedPercent, round10 } from '../slos/arithmetic/budget.ts'
import { combineSums, type MemberSum } from '../slos/arithmetic/composite.ts'
import { ownWindow, shareOfOwnWindow } from '../slos/arithmetic/own-window.ts'
import type { WindowSum } from '../slos/arithmetic/window-sum.ts'
import { secondsOf, unionOf } from '../slos/corrections/spans.ts'

/** Time after the end of a minute at which it is evaluated. */
const evaluatedAfterSeconds = 5

type Alert = { id: number; sloId: number | null; beganSeconds: number; endedSeconds: number | null }

/**
 * Share of an error budget in percent. `resolutionSeconds`: start and end were rounded outward to a minute, hour or day. `excluded` is
 * absent if corrections exclude nothing between start and end.
 */
type Cost = { percent: number; resolutionSeconds: number; excluded?: ExcludedCost }

/** `seconds`: excluded time. `bad`: failures that count; `badWithout` and `percentWithout`: as if there were no corrections. */
type ExcludedCost = {
  seconds: number
  bad: number
  badWithout: number
  percentWithout: number
  resolution: ReturnType<typeof resolutionName>
}

/**
 * Error budget that alerts cost, by alert: failures from the start to the end of the alert (if it is firing, as far as the SLO's budget
 * includes them), divided by the failures that the SLO's own window up to that end allows. If the first sample is inside the window, its
 * traffic is extrapolated to the whole window. An alert is left out if nothing was measured at the SLO's present revision, or while a
 * backfill may still bring earlier samples.
 * The number of SQL statements does not grow with the number of alerts.
 */
export function createAlertCosts({ db, clock }: { db: Database; clock: Clock }) {
  return async function alertCosts(organizationId: number, alerts: Alert[]): Promise<Map<number, Cost>> {
    const slos = await listSlos(db, organizationId, alerts)
    const nowSeconds = Math.floor(clock.now() / 1000)
    const alertsWithSlo = alerts.flatMap((alert) => {
      const slo = slos.get(alert.sloId)
      return slo ? [{ ...alert, slo }] : []
    })
    const lastMinute = Math.max(0, floorTo(nowSeconds - evaluatedAfterSeconds, minute))
    const spans = alertsWithSlo.map(({ beganSeconds, endedSeconds, slo }) => {
      const resolutionSeconds = finestStoredResolution(beganSeconds, nowSeconds)
      const measuredSeconds = slo.measured_at === null ? lastMinute : slo.measured_at / 1000
      const isRunning = endedSeconds === null || endedSeconds > measuredSeconds
      const endSeconds = isRunning ? measuredSeconds : ceilTo(endedSeconds, resolutionSeconds)
      return {
        resolutionSeconds,
        startSeconds: floorTo(Math.min(beganSeconds, endSeconds), resolutionSeconds),
        endSeconds,
        running: isRunning ? runningOf(slo) : noRunningChecks,
      }
    })
    const windows = alertsWithSlo.flatMap(({ slo }, index): LedgerWindow[] => {
      const { startSeconds = 0, endSeconds = 0 } = spans[index] ?? {}
      const base = { sloId: slo.id, revision: slo.revision, endSeconds }
      return [
        { ...base, startSeconds, keepsLead: true }, // also the failures between the last sample before and the first one inside
        { ...base, startSeconds: ownWindow(slo, endSeconds).startSeconds },
      ]
    })
    const sums = await sumWindows(db.read, windows, nowSeconds)
    const excluded = await excludedOf(db, windows, nowSeconds)
    const revisions = [...slos.values()].map(({ id, revision }) => ({ sloId: id, revision }))
    const reaches = await listReaches(db.read, revisions, nowSeconds)
    const reachOf = new Map(revisions.map(({ sloId }, place) => [sloId, reaches[place]]))
    const costs = new Map<number, Cost>()
    for (const [index, { id, slo }] of alertsWithSlo.entries()) {
      const [duringAlert, windowSum, span] = [sums[2 * index], sums[2 * index + 1], spans[index]]
      if (!duringAlert || !windowSum || !span) continue
      const { running } = span
      if (duringAlert.coveredSeconds + running.seconds === 0) continue
      const reach = reachOf.get(slo.id)
      const share = reach ? shareOfOwnWindow(reach, ownWindow(slo, span.endSeconds + running.seconds)) : null
      if (share === null) continue
      const allowedFailures = allowedInWindow(windowSum.total + running.total, slo.target, share)
      const bad = Math.max(0, duringAlert.total - duringAlert.good) + running.bad
      const cost = { percent: round10(burnedPercent(bad, allowedFailures)), resolutionSeconds: span.resolutionSeconds }
      const leftOut = excluded.get(index)
      if (!leftOut) {
        costs.set(id, cost)
        continue
      }
      const { seconds, during, window, coarsest } = leftOut
      const badWithout = Math.max(0, during.total - during.good) + running.bad
      const allowedWithout = allowedInWindow(window.total + running.total, slo.target, share)
      const percentWithout = round10(burnedPercent(badWithout, allowedWithout))
      const resolution = resolutionName(coarsest)
      costs.set(id, { ...cost, excluded: { seconds, bad, badWithout, percentWithout, resolution } })
    }
    return costs
  }
}

/**
 * Sums as if there were no corrections, during an alert and in its window. `seconds`: excluded time during the alert. `coarsest`: seconds
 * of the longest bucket of which a share is excluded.
 */
type LeftOut = { seconds: number; during: WindowSum; window: WindowSum; coarsest: number }

/**
 * Reads what corrections exclude, by the index of the alert; absent if they exclude nothing during the alert. For a composite, what they
 * exclude of its members. `windows`: for each alert its time, then the own window of its SLO.
 */
async function excludedOf(
  db: Database,
  windows: readonly LedgerWindow[],
  nowSeconds: number,
): Promise<Map<number, LeftOut>> {
  const masks = await masksOf(db)
  if (masks.isEmpty) return new Map()
  const composites = await findComposites(db.read, windows)
  const placed = windows.flatMap((during, at) => {
    const window = windows[at + 1]
    if (at % 2 === 1 || !window) return []
    const stored = composites.get(keyOf(during))
    const slos = stored ? stored.members : [{ sloId: during.sloId, revision: during.revision }]
    const seconds = secondsOf(unionOf(slos.flatMap((one) => (one ? masks.spansOf(one.sloId, during) : []))))
    return seconds === 0 ? [] : [{ place: at / 2, seconds, during, window, stored, slos }]
  })
  const parts = placed.flatMap(({ during, window, slos }) =>
    [during, window].flatMap((span) => slos.flatMap((one) => (one ? [{ ...span, ...one }] : []))),
  )
  const counted = (await sumWindows(db.read, parts, nowSeconds)).values()
  const excluded = (await sumExcluded(db.read, parts)).values()
  return new Map(
    placed.map(({ place, seconds, stored, slos }) => {
      let coarsest: number = minute
      const next = (): WindowSum => {
        const { good = 0, total = 0, coarsest: longest = 0 } = excluded.next().value ?? {}
        const sum = counted.next().value ?? { good: 0, total: 0, coveredSeconds: 0 }
        coarsest = Math.max(coarsest, longest)
        return { ...sum, good: sum.good + good, total: sum.total + total }
      }
      // takes the next sums, which are in the order of `parts`: first those during the alert, then those of the window
      const read = () =>
        combine(
          stored,
          slos.map((one) => (one ? next() : null)),
        )
      const during = read()
      const coarsestDuring = coarsest // the next read may raise it
      return [place, { seconds, during, window: read(), coarsest: coarsestDuring }]
    }),
  )
}

function combine(stored: StoredComposite | undefined, sums: MemberSum[]): WindowSum {
  return stored ? combineSums(stored.composite, sums) : (sums[0] ?? { good: 0, total: 0, coveredSeconds: 0 })
}

const noRunningChecks = { seconds: 0, bad: 0, total: 0 }

/** Checks since the last whole minute that the budget of an SLO includes. */
function runningOf({ running_seconds, running_good, running_total }: Slo): typeof noRunningChecks {
  if (!running_seconds) return noRunningChecks
  const total = running_total ?? 0
  return { seconds: running_seconds, bad: Math.max(0, total - (running_good ?? 0)), total }
}

type Slo = Pick<SloRow, 'id' | 'revision' | 'target' | 'time_window' | 'time_zone'> &
  Nullable<Pick<StateRow, 'measured_at' | 'running_seconds' | 'running_good' | 'running_total'>>
type Nullable<T> = { [Field in keyof T]: T[Field] | null }

async function listSlos({ read }: Database, organizationId: number, alerts: Alert[]): Promise<Map<number | null, Slo>> {
  const ids = [...new Set(alerts.flatMap(({ sloId }) => sloId ?? []))]
  if (ids.length === 0) return new Map()
  const rows = await read
    .selectFrom('slos')
    .leftJoin('slo_states', (on) =>
      on.onRef('slo_states.slo_id', '=', 'slos.id').onRef('slo_states.revision', '=', 'slos.revision'),
    )
    .select(['slos.id', 'slos.revision', 'target', 'time_window', 'time_zone', 'measured_at'])
    .select(['running_seconds', 'running_good', 'running_total'])
    .where('slos.organization_id', '=', organizationId)
    .where('slos.id', 'in', ids)
    .execute()
  return new Map(rows.map((slo) => [slo.id, slo]))
}
