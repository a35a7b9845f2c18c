import { minuteStartSeconds } from '../../clock.ts'
import type { Db } from '../../db/open.ts'
import type { IncidentRow } from '../../db/tables/tables.ts'
import type { Evaluation } from '../../evaluation/evaluation-store.ts'
import { allowedBad, allowedInWindow, burnedPercent, round10 } from '../../slos/arithmetic/budget.ts'
import { ownWindow } from '../../slos/arithmetic/own-window.ts'
import { listAlertsOfIncidents } from '../alerts/alert-store.ts'
import type { SloAlerts } from '../alerts/draft.ts'
import type { IncidentCost } from '../notification-data.ts'

/** Minutes in `[startSeconds, endSeconds)` of an SLO's ledger, its stored sums of good and total events (seconds for an SLO that counts time); oldest first. */
export type ListMinutes = (
  db: Db,
  range: { sloId: number; revision: number; startSeconds: number; endSeconds: number },
) => Promise<{ startSeconds: number; good: number; total: number }[]>

/** SLO with the alerts that have just ended, its evaluation and its incident. */
type EndedIncident = Pick<SloAlerts, 'slo' | 'ended'> & { evaluation: Evaluation; incident: IncidentRow }

/**
 * Part of the whole window's budget that an incident used, by its failures in the ledger; an outage by its duration from the minute on
 * in which it last began, because its last minute is not in the ledger yet. Null: there is no budget, the SLO's age is not known, or the outage of an SLO that
 * counts events, such as missed runs of a job, is not in the ledger yet.
 */
export async function costOf(
  trx: Db,
  { slo, evaluation, ended, incident }: EndedIncident,
  listMinutes: ListMinutes,
): Promise<IncidentCost | null> {
  const { began_at: startSeconds, since, recovered_at } = incident
  const endSeconds = recovered_at ?? evaluation.atSeconds
  const { totalEvents, windowShare } = evaluation // `totalEvents` null: the SLO counts time
  if (totalEvents !== null && windowShare === null) return null
  const allowed =
    totalEvents === null
      ? allowedBad(ownWindow(slo, endSeconds).wholeSeconds, slo.target)
      : allowedInWindow(totalEvents, slo.target, windowShare ?? 1)
  if (allowed <= 0) return null
  const wasDown = ended.some(({ name }) => name === 'down')
  const isOutage = totalEvents === null && wasDown
  const sinceMinute = minuteStartSeconds(since * 1000)
  const range = {
    startSeconds: minuteStartSeconds(startSeconds * 1000),
    endSeconds: isOutage ? sinceMinute : endSeconds,
  }
  const isEmpty = range.startSeconds >= range.endSeconds
  const minutes = isEmpty ? [] : await listMinutes(trx, { sloId: slo.id, revision: slo.revision, ...range })
  if (wasDown && !isOutage && !minutes.some(({ startSeconds }) => startSeconds >= sinceMinute)) return null
  const bad = badOf(minutes)
  if (totalEvents === null) {
    const newest = isOutage ? endSeconds - since + (await earlierInMinute(trx, incident, minutes, sinceMinute)) : 0
    return timeCost(bad + newest, allowed)
  }
  return { percent: round10(burnedPercent(bad, allowed)), bad_seconds: null, allowed_seconds: null }
}

/**
 * Seconds that earlier outages of an incident failed in the minute in which its newest one began: their duration less what `minutes`,
 * those before it, have of them.
 */
async function earlierInMinute(
  trx: Db,
  { id, since, relapses }: IncidentRow,
  minutes: Awaited<ReturnType<ListMinutes>>,
  sinceMinute: number,
): Promise<number> {
  if (relapses === 0) return 0
  const alerts = await listAlertsOfIncidents(trx, [id])
  const seconds = alerts.map(({ name, began_at, ended_at }) => {
    if (name !== 'down' || ended_at === null || ended_at <= sinceMinute || began_at >= since) return 0
    const counted = minutes.filter(({ startSeconds }) => startSeconds >= minuteStartSeconds(began_at * 1000))
    return Math.max(0, ended_at - began_at - badOf(counted))
  })
  return Math.min(
    since - sinceMinute,
    seconds.reduce((sum, one) => sum + one, 0),
  )
}

function badOf(minutes: Awaited<ReturnType<ListMinutes>>): number {
  return minutes.reduce((sum, { good, total }) => sum + Math.max(0, total - good), 0)
}

function timeCost(badSeconds: number, allowedSeconds: number): IncidentCost {
  return {
    percent: round10(burnedPercent(badSeconds, allowedSeconds)),
    bad_seconds: badSeconds,
    allowed_seconds: allowedSeconds,
  }
}
