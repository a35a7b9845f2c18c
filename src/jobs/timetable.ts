import { Cron } from 'croner'
import type { Log } from '../log.ts'
import { type ForgetDeps, forgetOldRows } from './forget-old-rows.ts'

/** Starts what happens by the clock on the wall. A job never overlaps itself, and a failure waits for the next time. */
export function startTimetable(app: ForgetDeps & { log: Log }): { stop(): void } {
  const at = (name: string, pattern: string, job: () => Promise<void>) =>
    new Cron(
      pattern,
      {
        name: `${name}-${Bun.randomUUIDv7()}`,
        timezone: 'UTC',
        protect: true,
        catch: (error) => app.log.error('job failed', { job: name, error }),
      },
      job,
    )
  const jobs = [at('forget-old-rows', '0 17 * * * *', () => forgetOldRows(app))]
  return { stop: () => jobs.forEach((job) => job.stop()) }
}
