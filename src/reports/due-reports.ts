import type { Log } from '../log.ts'
import type { Config } from '../config.ts'
import type { ReportRow, ReportScheduleRow } from '../db/tables/tables.ts'
import { type Draft, queueNotifications } from '../notifications/outbox-store.ts'
import { makeReport, type MakeDeps } from './make-report.ts'
import { noticeOf } from './notice.ts'
import { duePeriods } from './period.ts'
import { pendingReport } from './reports.ts'
import { findSchedule, listChannelsOf, listSchedulesAfter, updateSchedule } from './schedule-store.ts'
import { channelIdsOf } from './schedules.ts'
import {
  countReports,
  deleteOldestScheduled,
  hasReport,
  insertReport,
  listPending,
  storeData,
  storeFailure,
} from './store.ts'

export type DueDeps = MakeDeps & {
  log: Log
  config: Pick<Config, 'quotas'>
  publicUrl: () => string
  isClosing: () => boolean
  onQueued: () => void
}

/** Makes the due reports of schedules, and requested ones. */
export type Reports = {
  /** Queues the due reports of schedules, and makes pending reports one after the other. Call it every minute. */
  run(): Promise<void>
  /** Runs at once, in the background. */
  soon(): void
  drain(): Promise<void>
}

/**
 * Time after the end of a period from which its figures are final: samples may come late, and the figures of SLOs' own periods are stored
 * by then.
 */
export const delaySeconds = 1800

const maxAttempts = 5
const schedulesPerRead = 200

export function createReports(deps: DueDeps): Reports {
  const { log, isClosing } = deps
  let running: Promise<void> | null = null
  let isAskedAgain = false

  async function runAll(): Promise<void> {
    do {
      isAskedAgain = false
      await queueDue(deps)
      while (!isClosing() && (await makeNext(deps))) {
        // makes the next one
      }
    } while (isAskedAgain && !isClosing())
  }

  const run = async (): Promise<void> => {
    if (running) {
      isAskedAgain = true
      return running
    }
    running = runAll().finally(() => (running = null))
    return running
  }

  return {
    run,
    soon: () => void run().catch((error: unknown) => log.error('reports not made', { error })),
    drain: async () => void (await running?.catch(() => {})), // logged by who started it
  }
}

/** Queues the reports of periods that have ended since the last report of each schedule. */
async function queueDue(deps: DueDeps): Promise<void> {
  const { db, clock } = deps
  const untilSeconds = Math.floor(clock.now() / 1000) - delaySeconds
  let last: ReportScheduleRow | undefined
  do {
    const schedules = await listSchedulesAfter(db.read, last?.id ?? 0, schedulesPerRead)
    for (const schedule of schedules) {
      if (duePeriods(schedule, untilSeconds).length > 0) await queueOf(deps, schedule, untilSeconds)
    }
    last = schedules.length === schedulesPerRead ? schedules.at(-1) : undefined
  } while (last)
}

async function queueOf(
  { db, clock, config }: DueDeps,
  { id, organization_id }: ReportScheduleRow,
  untilSeconds: number,
) {
  await db.write.transaction().execute(async (trx) => {
    const schedule = await findSchedule(trx, organization_id, id) // may have been changed since it was listed
    const due = schedule ? duePeriods(schedule, untilSeconds) : []
    const newest = due.at(-1)
    if (!schedule || !newest) return
    const excess = (await countReports(trx, organization_id)) + due.length - config.quotas.reports
    if (excess > 0) await deleteOldestScheduled(trx, organization_id, excess)
    let room = config.quotas.reports - (await countReports(trx, organization_id))
    const { interval, time_zone, selector, name } = schedule
    for (const { startSeconds: starts_at, endSeconds: ends_at } of due.toReversed()) {
      if (room <= 0 || (await hasReport(trx, id, ends_at))) continue
      const pending = pendingReport({ interval, time_zone, selector, starts_at, ends_at }, id)
      await insertReport(trx, { ...pending, organization_id, name, created_by: null, created_at: clock.now() })
      room -= 1
    }
    await updateSchedule(trx, organization_id, id, { made_until: newest.endSeconds })
  })
}

/** Makes the oldest pending report, and queues its notifications in the same transaction; false: there is none, or it failed. */
async function makeNext(deps: DueDeps): Promise<boolean> {
  const { db, clock, log } = deps
  const [row] = await listPending(db.read, Math.floor(clock.now() / 1000) - delaySeconds, 1)
  if (!row) return false
  try {
    await makeAndStore(deps, row)
    return true
  } catch (error) {
    const attempts = row.attempts + 1
    log.error('report not made', { report_id: row.id, attempts, error })
    await storeFailure(db.write, { id: row.id, attempts, status: attempts < maxAttempts ? 'pending' : 'failed' })
    return false
  }
}

async function makeAndStore(deps: DueDeps, row: ReportRow): Promise<void> {
  const { db, clock, publicUrl, onQueued } = deps
  const data = await makeReport(deps, row)
  const { slo_count, met: met_count, missed: missed_count } = data.summary
  const reportColumns = { data: JSON.stringify(data), slo_count, met_count, missed_count, made_at: clock.now() }
  await db.write.transaction().execute(async (trx) => {
    if (!(await storeData(trx, row.id, reportColumns)) || row.schedule_id === null) return
    const schedule = await findSchedule(trx, row.organization_id, row.schedule_id)
    if (!schedule) return
    const notice = noticeOf(data, row.id, publicUrl())
    const channels = await listChannelsOf(trx, row.organization_id, channelIdsOf(schedule))
    const drafts = channels
      .filter(({ enabled }) => enabled === 1)
      .map((channel): Draft => {
        const { id: channel_id, channel_type, max_retries } = channel
        const about = { slo_id: null, rule_id: null, alert_id: null }
        const kind = { event: 'message', alert_type: 'report', priority: 'low', status: 'pending' } as const
        return {
          organization_id: row.organization_id,
          ...about,
          ...kind,
          ...notice,
          channel_id,
          channel_type,
          max_retries,
        }
      })
    await queueNotifications(trx, drafts, clock.now())
  })
  onQueued()
}
