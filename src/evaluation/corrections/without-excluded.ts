import type { Database } from '../../db/open.ts'
import type { MeasuredBuckets } from '../../ledger/bucket.ts'
import { createReadSums, sumWindows } from '../../ledger/window-sums.ts'
import type { PlannedSlo } from '../../sli/plan/plan.ts'
import { noTraffic, type Sli } from '../../sli/sli.ts'
import { ownWindow } from '../../slos/arithmetic/own-window.ts'
import { ratioOf, type WindowSum } from '../../slos/arithmetic/window-sum.ts'
import { currentWindow, windowSeconds } from '../../slos/arithmetic/windows.ts'
import type { Values } from '../measure-values.ts'
import { type Excluded, excludedIn } from './excluded.ts'

type Deps = { db: Database }

/**
 * Takes what corrections exclude out of the values of both windows. `minutes`: as just measured, with the intervals of their samples.
 * Excluded events are subtracted from a rolling window over counters. A window that the source was queried for as a whole is replaced by
 * the sum of the ledger's buckets, which are without them already.
 */
export async function withoutExcluded(
  { db }: Deps,
  planned: readonly PlannedSlo[],
  atSeconds: number,
  values: Map<number, Values>,
  minutes?: ReadonlyMap<number, MeasuredBuckets>,
): Promise<Map<number, Values>> {
  const windows = planned.flatMap(({ slo }) => {
    const { startSeconds } = ownWindow(slo, atSeconds)
    const currentSeconds = windowSeconds(currentWindow(slo.time_window))
    return [
      { slo, startSeconds, endSeconds: atSeconds },
      { slo, startSeconds: atSeconds - currentSeconds, endSeconds: atSeconds },
    ]
  })
  const excluded = await excludedIn(db, windows)
  if (excluded.every((one) => one === null)) return values
  const affected = windows.flatMap((window, at) => (excluded[at] ? [{ ...window, at }] : []))
  const ranges = affected.map(({ slo: { id: sloId, revision }, startSeconds, endSeconds }) => {
    return { sloId, revision, startSeconds, endSeconds }
  })
  const sums = await sumWindows(db.read, ranges, atSeconds, createReadSums())
  const sumOf = new Map(affected.map(({ at }, place) => [at, sums[place]]))
  const corrected = new Map(values)
  planned.forEach(({ slo }, place) => {
    const one = values.get(slo.id)
    if (!one) return
    const [ownIndex, currentIndex] = [2 * place, 2 * place + 1] // in `windows`
    const ofOwn = excluded[ownIndex] ?? null
    const seconds = atSeconds - (windows[ownIndex]?.startSeconds ?? 0)
    const measured = minutes?.get(slo.id)
    const intervalSeconds = measured && 'buckets' in measured ? (measured.intervalSeconds ?? 0) : 0
    const withOwn =
      ofOwn === null ? one : subtractExcluded(one, ofOwn, { seconds, intervalSeconds }, sumOf.get(ownIndex))
    const ofCurrent =
      'error' in one.current || !excluded[currentIndex]
        ? one.current
        : sliOfLedger(sumOf.get(currentIndex), one.current)
    corrected.set(slo.id, { ...withOwn, current: ofCurrent })
  })
  return corrected
}

/**
 * `seconds`: length of the own window. `ledger`: its sum in the ledger. `increase` extrapolates the window by an interval of its samples,
 * which buckets do not; so the excluded events are extrapolated by as much.
 */
function subtractExcluded(
  values: Values,
  excluded: Excluded,
  { seconds, intervalSeconds }: Record<'seconds' | 'intervalSeconds', number>,
  ledger: WindowSum | undefined,
): Values {
  const { own, sum, basis } = values
  if (own === null || 'error' in own) return values
  if (basis === 'buckets') return { ...values, excluded }
  const isWhole = excluded.seconds >= seconds
  if (basis === 'counters' && sum) {
    const factor = intervalSeconds < seconds / 2 ? seconds / (seconds - intervalSeconds) : 1
    const total = isWhole ? 0 : Math.max(0, sum.total - factor * excluded.total)
    const good = Math.min(total, Math.max(0, sum.good - factor * excluded.good))
    return { ...values, ...ownOfSum({ good, total }), excluded }
  }
  if (!ledger || ledger.coveredSeconds === 0) return values
  const events = values.events && { good: Math.round(ledger.good), total: Math.round(ledger.total) }
  return { ...values, ...ownOfSum(ledger), events, excluded }
}

function ownOfSum({ good, total }: { good: number; total: number }): Pick<Values, 'own' | 'sum' | 'events'> {
  const own: Sli = total > 0 ? { percent: Math.min(1, good / total) * 100 } : noTraffic
  return { own, sum: { good, total }, events: { good: Math.round(good), total: Math.round(total) } }
}

/** SLI of the current window by the ledger; `measured`: that of the source, for a window of which the ledger has nothing. */
function sliOfLedger(sum: WindowSum | undefined, measured: Sli): Sli {
  if (!sum || sum.coveredSeconds === 0) return measured
  const ratio = ratioOf(sum, 0)
  return ratio === null ? allExcluded : { percent: ratio * 100 }
}

/** SLI of a window all of which is excluded. */
export const allExcluded: Sli = {
  reason: 'no_traffic',
  message: 'A correction excludes what was counted in the window.',
}
