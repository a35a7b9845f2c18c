/**
 * Number of failed runs in a row after which a probe's target is down. `retryMs`: wait before a failed run is tried again; null: it is
 * not, and the next run of the schedule counts.
 */
export type Confirmation = { failures: number; retryMs: number | null }

/**
 * Result of a probe's runs in a row. `isDown` null: not known yet. `sinceMs`: while down, the time of the first failed run; once
 * up again, that of the first good one. `error`: of the last failed run. Timestamps are Unix milliseconds.
 */
export type Reachability = {
  readonly isDown: boolean | null
  readonly sinceMs: number | null
  readonly error: string | null
  /** Failed runs and good runs in a row up to the last run, one of them 0; and the time of the first run of that row. */
  readonly failures: number
  readonly successes: number
  readonly firstMs: number | null
  /** Time of the last failed run. */
  readonly failedMs: number | null
}

/** Reachability before the first run. */
export const unknownReachability: Reachability = {
  isDown: null,
  sinceMs: null,
  error: null,
  failures: 0,
  successes: 0,
  firstMs: null,
  failedMs: null,
}

const successesToBeUp = 2
const retries = 2
const retryMs = 5000

/**
 * With `confirm`, a failed run is tried again 5 s later and once more 5 s after that: after three failures in a row the
 * target is down. Without, it is down after `downAfter` failed runs of the schedule.
 */
export function confirmationOf({ confirm, downAfter }: { confirm: boolean; downAfter: number }): Confirmation {
  return confirm ? { failures: 1 + retries, retryMs } : { failures: downAfter, retryMs: null }
}

/** Adds a run. A target is up after two good runs in a row; a single good run between failures changes nothing. */
export function afterRun(
  former: Reachability,
  { ok, error, atMs }: { ok: boolean; error: string | null; atMs: number },
  { failures: enough }: Confirmation,
): Reachability {
  const isContinued = ok ? former.successes > 0 : former.failures > 0
  const firstMs = isContinued ? former.firstMs : atMs
  const successes = ok ? former.successes + 1 : 0
  const failures = ok ? 0 : former.failures + 1
  const isDown = failures >= enough ? true : successes >= successesToBeUp ? false : former.isDown
  const hasChanged = isDown !== former.isDown
  return {
    isDown,
    sinceMs: hasChanged ? firstMs : former.sinceMs,
    error: ok ? former.error : error,
    failures,
    successes,
    firstMs,
    failedMs: ok ? former.failedMs : atMs,
  }
}

/**
 * Reachability before the first run since the start of nines, from the stored `runs`. A pause of more than three intervals ends the
 * sequence; `isDown` stays null until the next run.
 */
export function reachabilityOf(
  runs: readonly Parameters<typeof afterRun>[1][],
  confirmation: Confirmation,
  { nowMs, intervalMs }: { nowMs: number; intervalMs: number },
): Reachability {
  const isNext = (atMs: number, nextMs: number) => nextMs - atMs <= 3 * intervalMs
  const gap = runs.findLastIndex(({ atMs }, at) => !isNext(atMs, runs[at + 1]?.atMs ?? nowMs))
  const afterRuns = runs
    .slice(gap + 1)
    .reduce((former, run) => afterRun(former, run, confirmation), unknownReachability)
  const failures = Math.min(afterRuns.failures, confirmation.failures - 1)
  const successes = Math.min(afterRuns.successes, successesToBeUp - 1)
  return { ...afterRuns, isDown: null, sinceMs: null, failures, successes }
}

/** Milliseconds after which a failed run is to be tried again; null: not before the next run of the schedule. */
export function retryDelayMs(
  { isDown, failures }: Reachability,
  { failures: enough, retryMs }: Confirmation,
): number | null {
  return isDown !== true && failures > 0 && failures < enough ? retryMs : null
}
