import { type Clock, dayMs, isoTime } from '../clock.ts'
import type { Config } from '../config.ts'
import { auditWriter } from '../db/audit.ts'
import type { Database, Db } from '../db/open.ts'
import { getZone } from '../db/organization-zones.ts'
import type { ReportInterval, ReportRow } from '../db/tables/tables.ts'
import { invalid, readAll } from '../errors.ts'
import type { Caller } from '../http/signed-in.ts'
import { assertSelectable, parseSelector, readSelector } from '../notifications/rules/selectors.ts'
import { lastPeriod, periodHolding, periodTitle, type ReportPeriod } from './period.ts'
import { getReport, insertReport, type ListedReport, removeReport } from './store.ts'

export type ReportDeps = { db: Database; clock: Clock; config: Pick<Config, 'retentionDays'> }

/** Report as it is asked for. `day`: a day of its period, in its time zone; absent: of the last one that has ended. */
export type ReportRequest = {
  interval: ReportInterval
  time_zone?: string
  day?: string
  selector?: unknown
  name?: string
}

const everything = JSON.stringify({ all: true })

const usualNames = { week: 'Weekly report', month: 'Monthly report', quarter: 'Quarterly report' } as const

/** Queues a report about a period that has ended; it is made soon. Throws `invalid`. */
export async function requestReport(
  { db, clock, config }: ReportDeps,
  caller: Caller,
  sent: ReportRequest,
): Promise<ListedReport> {
  const { organizationId } = caller
  const nowMs = clock.now()
  const { interval } = sent
  const time_zone = sent.time_zone ?? (await getZone(db.read, organizationId)).timeZone
  const [selector = everything, period] = readAll(
    () => readSelector(sent.selector) ?? everything,
    () => readPeriod({ interval, time_zone, day: sent.day }, nowMs, config.retentionDays),
  )
  const { startSeconds: starts_at, endSeconds: ends_at } = period ?? lastPeriod({ interval, time_zone }, nowMs / 1000)
  const id = await db.write.transaction().execute(async (trx) => {
    await assertSelectable(trx, organizationId, selector)
    const row = await insertReport(trx, {
      ...pendingReport({ interval, time_zone, selector, starts_at, ends_at }),
      organization_id: organizationId,
      name: sent.name ?? usualNames[interval],
      created_by: caller.userId,
      created_at: nowMs,
    })
    await audit(trx, caller, 'report_requested', row, {}, nowMs)
    return row.id
  })
  return getReport(db.read, organizationId, id)
}

export async function deleteReport({ db, clock }: ReportDeps, caller: Caller, id: number): Promise<void> {
  await db.write.transaction().execute(async (trx) => {
    const row = await getReport(trx, caller.organizationId, id)
    await removeReport(trx, caller.organizationId, id)
    await audit(trx, caller, 'report_deleted', row, {}, clock.now())
  })
}

type Pending = Pick<ReportRow, 'interval' | 'time_zone' | 'selector' | 'starts_at' | 'ends_at'>

/** Columns of a report that is to be made. */
export function pendingReport(requested: Pending, scheduleId: number | null = null) {
  const counts = { slo_count: null, met_count: null, missed_count: null }
  return {
    ...requested,
    ...counts,
    schedule_id: scheduleId,
    status: 'pending' as const,
    attempts: 0,
    made_at: null,
    data: null,
  }
}

/** Selector of a request, as stored; absent: all SLOs. Throws `invalid`. */
export async function readScope(db: Db, organizationId: number, sent: unknown): Promise<string> {
  const selector = readSelector(sent) ?? everything
  await assertSelectable(db, organizationId, selector)
  return selector
}

type DayOfPeriod = { interval: ReportInterval; time_zone: string; day: string | undefined }

function readPeriod({ day, ...zoned }: DayOfPeriod, nowMs: number, retentionDays: number): ReportPeriod {
  const nowSeconds = Math.floor(nowMs / 1000)
  if (day === undefined) return lastPeriod(zoned, nowSeconds)
  const period = periodHolding(zoned, startOfDay(day, zoned.time_zone))
  if (period.endSeconds > nowSeconds) throw invalid('day', `must be in a ${zoned.interval} that has ended`)
  if (period.endSeconds * 1000 <= nowMs - retentionDays * dayMs)
    throw invalid('day', `must be at most ${retentionDays} days ago`)
  return period
}

function startOfDay(day: string, timeZone: string): number {
  try {
    return Temporal.PlainDate.from(day, { overflow: 'reject' }).toZonedDateTime(timeZone).epochMilliseconds / 1000
  } catch {
    throw invalid('day', 'must be a date such as 2026-10-01')
  }
}

type Audited = Pick<ReportRow, 'id' | 'name' | 'interval' | 'time_zone' | 'selector' | 'starts_at'>

const audit = auditWriter<Audited>((row) => ({
  report_id: row.id,
  name: row.name,
  period: periodTitle(row, row.starts_at),
  selector: parseSelector(row.selector),
  starts_at: isoTime(row.starts_at * 1000),
}))
