import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { type Clock, isoTime } from '../clock.ts'
import { inChunks } from '../concurrency/chunks.ts'
import type { Database } from '../db/open.ts'
import type { ReportRow, SloRow } from '../db/tables/tables.ts'
import { listStatesOf } from '../evaluation/state-store.ts'
import { countAlertsBetween } from '../notifications/alerts/alert-list-store.ts'
import { parseSelector } from '../notifications/rules/selectors.ts'
import type { Planner } from '../sli/plan/planner.ts'
import { listFilteredIds } from '../slos/search-store.ts'
import { findTeam } from '../slos/teams/store.ts'
import { reportedChanges, reportedDeploys, reportedIncidents, type Selected } from './events.ts'
import { periodTitle, type ReportPeriod } from './period.ts'
import { bounds, type ReportData, type ReportedSlo, type ReportSummary } from './report.ts'
import { sloFigures } from './slo-figures.ts'
import { getOrganizationName } from './store.ts'

export type MakeDeps = { db: Database; clock: Clock; planner: Planner }

const slosPerBatch = 100

/**
 * Makes the data of a report from the ledger (the stored sums of each SLO) and other stored data, as they are now: the SLOs are those
 * that are active now. Yields to the event loop after each batch of SLOs; asks no source.
 */
export async function makeReport(deps: MakeDeps, row: ReportRow): Promise<ReportData> {
  const { db, clock } = deps
  const organizationId = row.organization_id
  const period: ReportPeriod = { startSeconds: row.starts_at, endSeconds: row.ends_at }
  const nowSeconds = Math.floor(clock.now() / 1000)
  const { scope, ids } = await selectSlos(db, row)
  const selected = new Map<number, Selected>()
  for (const chunk of inChunks(ids.slice(0, bounds.slos), slosPerBatch)) {
    const slos = (await listStatesOf(db.read, chunk)).map(({ slo }) => slo).filter(existedBefore(period))
    const figures = await sloFigures(deps, slos, period, nowSeconds)
    for (const [index, slo] of slos.entries()) {
      const ofSlo = figures[index]
      if (ofSlo) selected.set(slo.id, { slo, figures: ofSlo })
    }
    await yieldToEventLoop()
  }
  const incidentPart = await reportedIncidents(deps, organizationId, selected, period)
  const deployPart = await reportedDeploys(deps, organizationId, selected, period)
  const changePart = await reportedChanges(deps, selected, period)
  const alerts = (await countAlertsBetween(db.read, organizationId, period)).filter((one) => selected.has(one.slo_id))
  const alertsOf = Map.groupBy(alerts, ({ slo_id }) => slo_id)
  const slos = [...selected.values()].map(({ figures }): ReportedSlo => {
    const counts = { page: 0, ticket: 0, other: 0 }
    for (const { severity, count } of alertsOf.get(figures.id) ?? []) {
      counts[severity === 'page' || severity === 'ticket' ? severity : 'other'] += count
    }
    return { ...figures, incident_count: incidentPart.countBySlo.get(figures.id) ?? 0, alerts: counts }
  })
  const sorted = withBoundedPeriods(slos.toSorted(worstFirst))
  const summary: ReportSummary = {
    slo_count: slos.length,
    met: slos.filter(({ met }) => met === true).length,
    missed: slos.filter(({ met }) => met === false).length,
    unknown: slos.filter(({ met }) => met === null).length,
    incident_count: incidentPart.count,
    incident_seconds: incidentPart.seconds,
    alert_count: alerts.reduce((sum, { count }) => sum + count, 0),
    deploy_count: deployPart.count,
    change_count: changePart.count,
    min_coverage: slos.reduce<number | null>((min, { coverage }) => Math.min(min ?? 1, coverage), null),
  }
  return {
    version: '1',
    name: row.name,
    interval: row.interval,
    title: periodTitle(row, row.starts_at),
    time_zone: row.time_zone,
    starts_at: isoTime(row.starts_at * 1000),
    ends_at: isoTime(row.ends_at * 1000),
    made_at: isoTime(clock.now()),
    organization: await getOrganizationName(db.read, organizationId),
    scope,
    summary,
    slos: sorted,
    incidents: incidentPart.incidents,
    deploys: deployPart.deploys,
    changes: changePart.changes,
  }
}

async function selectSlos(
  { read }: Database,
  { organization_id, selector }: ReportRow,
): Promise<{ scope: ReportData['scope']; ids: number[] }> {
  const parsed = parseSelector(selector)
  if ('team_id' in parsed) {
    const team = await findTeam(read, organization_id, parsed.team_id)
    const ids = await listFilteredIds(read, organization_id, { teamId: parsed.team_id })
    return { scope: { kind: 'team', text: team?.name ?? 'A deleted team' }, ids }
  }
  if ('labels' in parsed) {
    const labels = Object.entries(parsed.labels)
    const ids = await listFilteredIds(read, organization_id, { labels })
    return { scope: { kind: 'labels', text: labels.map(([key, value]) => `${key}=${value}`).join(', ') }, ids }
  }
  return { scope: { kind: 'all', text: 'All SLOs' }, ids: await listFilteredIds(read, organization_id, {}) }
}

/** Leaves out SLOs that were created after the period: their past was backfilled, and nobody had set their target then. */
const existedBefore = (period: ReportPeriod) => (slo: SloRow) => slo.created_at < period.endSeconds * 1000

/** SLOs that missed their target first, by the budget used, then those without a result, then the others. */
function worstFirst(one: ReportedSlo, other: ReportedSlo): number {
  const rank = ({ met }: ReportedSlo) => (met === false ? 0 : met === null ? 1 : 2)
  const used = ({ budget_used_percent }: ReportedSlo) => budget_used_percent ?? 0
  return rank(one) - rank(other) || used(other) - used(one) || compare(one.name, other.name) || one.id - other.id
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}

/** Leaves out the periods of the last SLOs above the bound. */
function withBoundedPeriods(slos: ReportedSlo[]): ReportedSlo[] {
  let remaining: number = bounds.periods
  return slos.map((slo) => {
    const periods = slo.periods.slice(0, remaining)
    remaining -= periods.length
    return { ...slo, periods }
  })
}
