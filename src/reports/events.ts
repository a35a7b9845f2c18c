import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { type Clock, isoTime, isoTimeOrNull } from '../clock.ts'
import type { Database } from '../db/open.ts'
import type { SloRow } from '../db/tables/tables.ts'
import { annotationCost } from '../insight/annotation-costs.ts'
import { ceilTo, floorTo } from '../ledger/bucket.ts'
import { finestStoredResolution, type LedgerWindow } from '../ledger/window-spans.ts'
import { sumWindows } from '../ledger/window-sums.ts'
import { causeOfIncident } from '../notifications/incidents/incident-cause.ts'
import { deployOf } from '../notifications/incidents/incident-deploy.ts'
import { listDeploysBefore } from '../notifications/incidents/incident-deploy-store.ts'
import { listAccounts, type ListedIncident, listIncidents } from '../notifications/incidents/incident-list-store.ts'
import type { Planner } from '../sli/plan/planner.ts'
import { listAnnotations, type NamedAnnotation } from '../slos/annotations/store.ts'
import { titleOf } from '../slos/annotations/title.ts'
import { burnedPercent, round10 } from '../slos/arithmetic/budget.ts'
import { type ChangeOfSlo, listChangesBetween } from '../slos/changes/store.ts'
import { parseLabels } from '../slos/labels.ts'
import { inChunks } from '../concurrency/chunks.ts'
import type { ReportPeriod } from './period.ts'
import { bounds, cut, type ReportedChange, type ReportedDeploy, type ReportedIncident } from './report.ts'
import type { Figures } from './slo-figures.ts'

type Deps = { db: Database; clock: Clock; planner: Planner }

/** SLO of a report: its row, and its figures over the period. */
export type Selected = { slo: SloRow; figures: Figures }
/** SLOs of a report by their id. */
export type Scope = ReadonlyMap<number, Selected>

const pageSize = 100
const maxPages = 50

/** Incidents that failed within the period, of SLOs of the report: the costliest, and figures of all of them. */
export async function reportedIncidents(
  { db, clock }: Deps,
  organizationId: number,
  scope: Scope,
  period: ReportPeriod,
): Promise<{ incidents: ReportedIncident[]; countBySlo: Map<number, number>; count: number; seconds: number }> {
  const nowSeconds = Math.floor(clock.now() / 1000)
  const found: ListedIncident[] = []
  const filter = { state: 'all' as const, startMs: period.startSeconds * 1000, endMs: period.endSeconds * 1000 }
  for (let page = 1; page <= maxPages; page += 1) {
    const { rows } = await listIncidents(db.read, organizationId, { ...filter, page, pageSize })
    const isFailing = (row: ListedIncident) => (endOf(row) ?? nowSeconds) > period.startSeconds
    found.push(...rows.filter((row) => scope.has(row.slo_id) && isFailing(row)))
    if (rows.length < pageSize) break
    await yieldToEventLoop()
  }
  const spans = found.map((row) => clippedSpan(row, period, nowSeconds))
  const windows = found.map((row, index): LedgerWindow => {
    const revision = scope.get(row.slo_id)?.slo.revision ?? 0
    const { startSeconds = 0, endSeconds = 0 } = spans[index] ?? {}
    return { sloId: row.slo_id, revision, startSeconds, endSeconds, keepsLead: true }
  })
  const sums = await sumWindows(db.read, windows, nowSeconds)
  const costed = found.map((row, index) => {
    const { allowed = 0, total = 0 } = scope.get(row.slo_id)?.figures ?? {}
    const sum = sums[index]
    const isKnown = total > 0 && sum !== undefined && sum.coveredSeconds > 0
    const percent = isKnown ? round10(burnedPercent(Math.max(0, sum.total - sum.good), allowed)) : null
    return { row, percent, seconds: Math.max(0, (endOf(row) ?? nowSeconds) - row.began_at) }
  })
  const shown = costed
    .toSorted((a, b) => (b.percent ?? -1) - (a.percent ?? -1) || b.seconds - a.seconds || a.row.id - b.row.id)
    .slice(0, bounds.incidents)
    .toSorted((a, b) => a.row.began_at - b.row.began_at || a.row.id - b.row.id)
  const ids = shown.map(({ row }) => row.id)
  const accounts = new Map((await listAccounts(db.read, ids)).map((account) => [account.incident_id, account]))
  const deploys = await listDeploysBefore(db.read, ids)
  const incidents = shown.map(({ row, percent, seconds }): ReportedIncident => {
    const [account, deploy] = [accounts.get(row.id), deploys.get(row.id)]
    const ended = endOf(row)
    return {
      id: row.id,
      slo_id: row.slo_id,
      slo_name: row.slo_name,
      severity: row.severity,
      began_at: isoTime(row.began_at * 1000),
      ended_at: isoTimeOrNull(ended === null ? null : ended * 1000),
      duration_seconds: seconds,
      budget_percent: percent,
      cause: causeOfIncident(row)?.text ?? (row.reason === null ? null : cut(row.reason)),
      deploy: deploy ? withoutId(deployOf(deploy)) : null,
      account: account
        ? {
            text: cut(account.text, bounds.accountCharacters),
            is_cut: account.text.length > bounds.accountCharacters,
            url: account.url,
            by: account.user_name,
            updated_at: isoTime(account.updated_at),
          }
        : null,
    }
  })
  const countBySlo = new Map([...Map.groupBy(found, (row) => row.slo_id)].map(([id, rows]) => [id, rows.length]))
  const seconds = spans.reduce((sum, span) => sum + Math.max(0, span.clippedSeconds), 0)
  return { incidents, countBySlo, count: found.length, seconds }
}

/** Second at which an incident ended; null: it still fails. */
function endOf({ recovered_at, closed_at }: ListedIncident): number | null {
  return recovered_at ?? closed_at
}

/** Part of an incident within the period, rounded outward to stored buckets. `clippedSeconds`: the length of the part before rounding. */
function clippedSpan(row: ListedIncident, period: ReportPeriod, nowSeconds: number) {
  const from = Math.max(row.began_at, period.startSeconds)
  const to = Math.max(from, Math.min(endOf(row) ?? nowSeconds, period.endSeconds))
  const startSeconds = floorTo(from, finestStoredResolution(from, nowSeconds))
  const endSeconds = ceilTo(to, finestStoredResolution(to, nowSeconds))
  return { startSeconds, endSeconds, clippedSeconds: to - from }
}

function withoutId({ title, url, seconds_before }: ReturnType<typeof deployOf>) {
  return { title, url, seconds_before }
}

/** Deploys, changes and notes of the period that match an SLO of the report, newest first, with what the newest deploys cost. */
export async function reportedDeploys(
  deps: Deps,
  organizationId: number,
  scope: Scope,
  { startSeconds, endSeconds }: ReportPeriod,
): Promise<{ deploys: ReportedDeploy[]; count: number }> {
  const labels = new Set([...scope.values()].map(({ slo }) => slo.labels))
  const sets = [...labels].map((text) => parseLabels({ labels: text }))
  const found: NamedAnnotation[] = []
  let count = 0
  const filter = { startMs: startSeconds * 1000, endMs: endSeconds * 1000 - 1 }
  for (let page = 1; page <= maxPages; page += 1) {
    const { rows } = await listAnnotations(deps.db.read, organizationId, { ...filter, page, pageSize })
    const matching = rows.filter((row) => {
      const annotationLabels = Object.entries(parseLabels(row))
      return sets.some((set) => annotationLabels.every(([key, value]) => set[key] === value))
    })
    count += matching.filter(({ kind }) => kind !== 'note').length
    found.push(...matching.slice(0, Math.max(0, bounds.deploys - found.length)))
    if (rows.length < pageSize) break
    await yieldToEventLoop()
  }
  const deploys: ReportedDeploy[] = []
  let costedCount = 0
  for (const row of found) {
    const isCosted = row.kind !== 'note' && costedCount < bounds.costedDeploys
    if (isCosted) costedCount += 1
    deploys.push({
      id: row.id,
      kind: row.kind,
      title: titleOf(row),
      url: row.url,
      at: isoTime(row.at),
      costs: isCosted ? await costsOf(deps, organizationId, row.id, scope) : null,
    })
    await yieldToEventLoop()
  }
  return { deploys, count }
}

async function costsOf(
  deps: Deps,
  organizationId: number,
  id: number,
  scope: Scope,
): Promise<NonNullable<ReportedDeploy['costs']>> {
  const { slos } = await annotationCost(deps, organizationId, id)
  return slos
    .filter(({ slo }) => scope.has(slo.id))
    .map(({ slo, after, before }) => ({
      slo_id: slo.id,
      slo_name: slo.name,
      budget_percent: after.budgetPercent,
      before_percent: before.budgetPercent,
    }))
    .toSorted((a, b) => (b.budget_percent ?? -1) - (a.budget_percent ?? -1) || a.slo_id - b.slo_id)
    .slice(0, bounds.costsOfDeploy)
}

/** Changes of the definitions of the SLOs within the period, newest first. */
export async function reportedChanges(
  { db }: Pick<Deps, 'db'>,
  scope: Scope,
  { startSeconds, endSeconds }: ReportPeriod,
): Promise<{ changes: ReportedChange[]; count: number }> {
  const span = { startMs: startSeconds * 1000, endMs: endSeconds * 1000, limit: maxChangesRead }
  const found: ChangeOfSlo[] = []
  let count = 0
  for (const ids of inChunks([...scope.keys()], slosPerRead)) {
    const rows = await listChangesBetween(db.read, ids, span)
    count += rows.length
    found.push(...rows)
    found.sort((a, b) => b.id - a.id)
    found.splice(bounds.changes)
    await yieldToEventLoop()
  }
  const changes = found.map((change): ReportedChange => {
    return {
      slo_id: change.slo_id,
      slo_name: scope.get(change.slo_id)?.slo.name ?? '',
      event: change.event,
      changed_at: isoTime(change.changed_at),
      by: change.changed_by_name,
      fields: change.fields.map(({ field, before, after }) => {
        return { field, before: textOf(before), after: textOf(after) }
      }),
    }
  })
  return { changes, count }
}

const slosPerRead = 200
const maxChangesRead = 5000

function textOf(value: string | number | null): string | null {
  return value === null ? null : cut(String(value))
}
