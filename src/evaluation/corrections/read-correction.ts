import { dayMs } from '../../clock.ts'
import type { Db } from '../../db/open.ts'
import type { CorrectionRow } from '../../db/tables/tables.ts'
import { invalid } from '../../errors.ts'
import { readZonedTime, zonedTimeText } from '../../http/zoned-time.ts'
import { readRecurrence } from '../../slos/corrections/recurrence.ts'
import { readLabels } from '../../slos/labels.ts'
import { findTeam } from '../../slos/teams/store.ts'
import type { CorrectionCreation, CorrectionUpdate } from './model.ts'

type Covered = Pick<CorrectionRow, 'slo_ids' | 'team_id' | 'labels'>
type Times = Pick<CorrectionRow, 'starts_at' | 'ends_at' | 'rrule' | 'duration_seconds' | 'time_zone'>

const maxSeconds = 366 * 86_400

/** Reads what a correction covers: one of SLO ids, a team and labels. Throws `invalid`. */
export async function readCovered(
  db: Db,
  organizationId: number,
  { slo_ids, team_id, labels }: Pick<CorrectionCreation, 'slo_ids' | 'team_id' | 'labels'>,
): Promise<Covered> {
  if ([slo_ids, team_id, labels].filter((one) => one !== undefined && one !== null).length !== 1) {
    throw invalid('slo_ids', 'send exactly one of slo_ids, team_id and labels')
  }
  if (slo_ids) {
    const ids = [...new Set(slo_ids)].toSorted((a, b) => a - b)
    const own = await db
      .selectFrom('slos')
      .select(['id', 'composite'])
      .where('organization_id', '=', organizationId)
      .where('id', 'in', ids)
      .execute()
    if (own.length < ids.length) throw invalid('slo_ids', 'must be SLOs of your organization')
    const composed = own.find(({ composite }) => composite !== null)
    if (composed) throw invalid('slo_ids', `must name the members of a composite, not itself (got ${composed.id})`)
    return { slo_ids: JSON.stringify(ids), team_id: null, labels: null }
  }
  if (team_id) {
    if (!(await findTeam(db, organizationId, team_id))) throw invalid('team_id', 'must be a team of your organization')
    return { slo_ids: null, team_id, labels: null }
  }
  const matchedLabels = readLabels(labels)
  if (Object.keys(matchedLabels).length === 0) throw invalid('labels', 'must have at least one entry')
  return { slo_ids: null, team_id: null, labels: JSON.stringify(matchedLabels) }
}

/** Reads the times of a correction: `from` and `to`, or `from`, `rrule`, `duration_seconds` and `time_zone`. Throws `invalid`. */
export function readTimes(sent: CorrectionUpdate, nowMs: number, retentionDays: number): Times {
  const { from = '', to, rrule, duration_seconds, time_zone } = sent
  const starts_at = readSeconds('from', from)
  if (1000 * starts_at < nowMs - retentionDays * dayMs)
    throw invalid('from', `must be at most ${retentionDays} days ago`)
  if (1000 * starts_at > nowMs + 1000 * maxSeconds) throw invalid('from', 'must be at most 366 days from now')
  if (rrule === undefined) {
    if (to === undefined) throw invalid('to', 'is required, or rrule with duration_seconds and time_zone')
    if (duration_seconds !== undefined) throw invalid('duration_seconds', 'cannot be sent without rrule')
    if (time_zone !== undefined) throw invalid('time_zone', 'cannot be sent without rrule')
    const ends_at = readSeconds('to', to)
    if (ends_at <= starts_at) throw invalid('to', 'must be after from')
    if (ends_at > starts_at + maxSeconds) throw invalid('to', 'must be at most 366 days after from')
    return { starts_at, ends_at, rrule: null, duration_seconds: null, time_zone: null }
  }
  if (to !== undefined) throw invalid('to', 'cannot be sent with rrule')
  if (duration_seconds === undefined) throw invalid('duration_seconds', 'is required with rrule')
  if (time_zone === undefined) throw invalid('time_zone', 'is required with rrule')
  const rule = readRecurrence(rrule)
  if (typeof rule === 'string') throw invalid('rrule', rule)
  return { starts_at, ends_at: null, rrule, duration_seconds, time_zone }
}

function readSeconds(field: string, text: string): number {
  const timeMs = readZonedTime(text)
  if (timeMs === undefined) throw invalid(field, `must be ${zonedTimeText}`)
  return Math.floor(timeMs / 1000)
}
