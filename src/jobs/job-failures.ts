import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'

const quietMs = 60_000

/** Logs that a job failed; the same failure again and again, as on a full disk, once a minute, with how often it was since. */
export function createJobFailures({ log, clock }: { log: Log; clock: Clock }): (job: string, error: unknown) => void {
  const said = new Map<string, { problem: string; atMs: number; since: number }>()
  return (job, error) => {
    const problem = String(error)
    const last = said.get(job)
    const isSame = last?.problem === problem
    if (isSame && Math.abs(clock.now() - last.atMs) < quietMs) {
      last.since += 1
      return
    }
    log.error('job failed', { job, error, times: isSame ? last.since + 1 : undefined })
    said.set(job, { problem, atMs: clock.now(), since: 0 })
  }
}
