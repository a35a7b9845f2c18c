import type { Database } from '../db/open.ts'
import type { SloRow } from '../db/tables/tables.ts'
import type { StoredComposite } from '../ledger/composite-store.ts'
import { countsEvents } from '../ledger/measure/measure-ledger.ts'
import { type LedgerCache, ledgerCacheOf } from '../ledger/memory/ledger-cache.ts'
import { listReaches } from '../ledger/reach-store.ts'
import type { LedgerWindow } from '../ledger/window-spans.ts'
import { createReadSums, sumWindows } from '../ledger/window-sums.ts'
import type { PlannedSlo } from '../sli/plan/plan.ts'
import type { Planner } from '../sli/plan/planner.ts'
import { noData, noTraffic, type Sli, type Unknown } from '../sli/sli.ts'
import { combineSums, type Composite, type MemberSum } from '../slos/arithmetic/composite.ts'
import { ownWindow } from '../slos/arithmetic/own-window.ts'
import { sliOfSum } from '../slos/arithmetic/window-sum.ts'
import { currentWindow, windowSeconds } from '../slos/arithmetic/windows.ts'
import { listMembers } from '../slos/composites/store.ts'
import type { Values } from './measure-values.ts'

type Deps = { db: Database; planner: Planner }

/** Member of a composite as it is now. `problem`: why nothing of it is known, as the end of a sentence; null: it is measured. */
export type Member = { sloId: number; name: string; weight: number; slo: SloRow | null; problem: string | null }

/**
 * Values of a composite, and its members; `stored` has the revisions of those that are measured. `isMixed`: a member counts time where
 * events are added up, so that no sum is right.
 */
export type CompositeValues = { values: Values; members: Member[]; stored: StoredComposite; isMixed: boolean }

/**
 * Computes both windows of composites up to `atSeconds` from the ledgers of their members; by SLO id. `nowSeconds` decides which
 * buckets are still stored; where both are the same, the ledger cache is read.
 */
export async function measureComposites(
  { db, planner }: Deps,
  planned: readonly PlannedSlo[],
  atSeconds: number,
  nowSeconds = atSeconds,
): Promise<Map<number, CompositeValues>> {
  const membersOf = await findMembers({ db, planner }, planned)
  const windows: LedgerWindow[] = []
  const lengthsOf = ({ slo }: PlannedSlo) => {
    const current = windowSeconds(currentWindow(slo.time_window))
    return { current, own: ownWindow(slo, atSeconds).seconds }
  }
  for (const one of planned) {
    const members = membersOf.get(one.slo.id) ?? []
    for (const seconds of Object.values(lengthsOf(one))) {
      for (const { slo } of members) {
        if (slo) windows.push({ ...windowOf(slo), startSeconds: atSeconds - seconds, endSeconds: atSeconds })
      }
    }
  }
  const memory = atSeconds === nowSeconds ? ledgerCacheOf(db) : undefined
  const sums = (await sumWindows(db.read, windows, nowSeconds, createReadSums(), memory)).values()
  const firstOf = await firstSamples({ db, memory }, membersOf, atSeconds)
  return new Map(
    planned.flatMap(({ slo, plan: { composite } }): [number, CompositeValues][] => {
      if (!composite) return []
      const members = membersOf.get(slo.id) ?? []
      const read = () => members.map((one): MemberSum => (one.slo ? (sums.next().value ?? null) : null))
      const lengths = lengthsOf({ slo } as PlannedSlo)
      const [currentSums, ownSums] = [read(), read()]
      const isMixed = members.some(({ problem }) => problem === countsTime)
      const first = Math.min(...members.map(({ sloId }) => firstOf.get(sloId) ?? Infinity))
      const existingSeconds = Math.min(lengths.current, Math.max(0, atSeconds - first)) // time before the first sample is no gap
      const current = sliOfMembers(composite, members, currentSums, existingSeconds)
      const own = ownOfMembers(composite, members, ownSums)
      const sum = combineSums(composite, ownSums)
      const events = composite.method === 'events' && sum.coveredSeconds > 0 && !isMixed
      const values: Values = {
        current,
        own,
        events: events ? { good: Math.round(sum.good), total: Math.round(sum.total) } : null,
        sum: sum.coveredSeconds > 0 ? { good: sum.good, total: sum.total } : null,
        basis: 'buckets',
        excluded: null, // the sums of its members are without what corrections leave out
        note: 'percent' in current ? noteOf(members, ownSums) : null,
      }
      const stored = { composite, members: members.map((one) => one.slo && windowOf(one.slo)) }
      return [[slo.id, { values, members, stored, isMixed }]]
    }),
  )
}

/** Time of the first sample of each member that is measured, in Unix seconds, by SLO id; absent: it has none. */
async function firstSamples(
  { db, memory }: { db: Database; memory: LedgerCache | undefined },
  membersOf: Map<number, Member[]>,
  atSeconds: number,
): Promise<Map<number, number>> {
  const slos = new Map([...membersOf.values()].flat().flatMap(({ slo }) => (slo ? [[slo.id, windowOf(slo)]] : [])))
  const revisions = [...slos.values()]
  const reaches = await listReaches(db.read, revisions, atSeconds, memory)
  return new Map(
    reaches.flatMap(({ firstSeconds }, place): [number, number][] => {
      const one = revisions[place]
      return one && firstSeconds !== null ? [[one.sloId, firstSeconds]] : []
    }),
  )
}

/** Members of each composite, in their order. */
export async function findMembers(
  { db, planner }: { db: Pick<Database, 'read'>; planner: Planner },
  planned: readonly PlannedSlo[],
): Promise<Map<number, Member[]>> {
  const membersOf = new Map<number, Member[]>()
  for (const [organizationId, some] of Map.groupBy(planned, ({ slo }) => slo.organization_id)) {
    const ids = some.flatMap(({ plan }) => plan.composite?.members.map(({ slo_id }) => slo_id) ?? [])
    const rows = new Map((await listMembers(db.read, organizationId, [...new Set(ids)])).map((row) => [row.id, row]))
    for (const { slo, plan } of some) {
      const members = plan.composite?.members ?? []
      membersOf.set(
        slo.id,
        members.map(({ slo_id, weight }) => memberOf(planner, plan.composite, { slo_id, weight }, rows.get(slo_id))),
      )
    }
  }
  return membersOf
}

const countsTime = 'counts time, not events'

function memberOf(
  planner: Planner,
  composite: Composite | null,
  { slo_id: sloId, weight }: Composite['members'][number],
  row: SloRow | undefined,
): Member {
  const problem = problemOf(planner, composite, row)
  return { sloId, name: row?.name ?? `SLO ${sloId}`, weight, slo: problem === null ? (row ?? null) : null, problem }
}

function problemOf(planner: Planner, composite: Composite | null, row: SloRow | undefined): string | null {
  if (!row || row.active === 0) return 'is deleted'
  if (row.paused_at !== null) return 'is paused'
  if (row.composite !== null) return 'is a composite'
  return composite?.method === 'events' && !countsEvents(planner.plan(row).plan) ? countsTime : null
}

function windowOf({ id: sloId, revision }: SloRow) {
  return { sloId, revision, isPlain: true } // no composite, because a composite cannot be a member
}

/** SLI over the current window, of which half must be measured. `seconds`: length of the window, as far as there are samples of any member. */
function sliOfMembers(composite: Composite, members: Member[], sums: MemberSum[], seconds: number): Sli {
  const { ratio, reason } = sliOfSum(combineSums(composite, sums), seconds)
  if (ratio !== null) return { percent: 100 * ratio }
  if (reason === 'no_traffic') return noTraffic
  const unknown = members.flatMap(({ name, problem }, place) => {
    const sum = sums[place]
    if (problem !== null) return [`${name} ${problem}`]
    return !sum || sliOfSum(sum, seconds).reason === 'no_data' ? [`${name} has no data`] : []
  })
  return unknownBecause(unknown)
}

/** SLI over the own window, of which any part may be measured. */
function ownOfMembers(composite: Composite, members: Member[], sums: MemberSum[]): Sli {
  const { good, total, coveredSeconds } = combineSums(composite, sums)
  if (coveredSeconds === 0) return unknownBecause(leftOut(members, sums))
  return total > 0 ? { percent: 100 * Math.min(1, Math.max(0, good / total)) } : noTraffic
}

function leftOut(members: Member[], sums: MemberSum[]): string[] {
  return members.flatMap(({ name, problem }, place) => {
    if (problem !== null) return [`${name} ${problem}`]
    return (sums[place]?.coveredSeconds ?? 0) > 0 ? [] : [`${name} has no data`]
  })
}

function unknownBecause(facts: string[]): Unknown {
  return facts.length === 0 ? noData : { reason: 'unknown_member', message: `Not known: ${facts.join(', ')}.` }
}

function noteOf(members: Member[], sums: MemberSum[]): string | null {
  const facts = leftOut(members, sums)
  return facts.length === 0 ? null : `Left out: ${facts.join(', ')}.`
}
