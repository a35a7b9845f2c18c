import { metricsToken, type World } from '../../test/chaos/world.ts'

/**
 * Event loop lag histogram that nines exposes, since its start: number of timers that were late by at most `le` seconds, by
 * `le`.
 */
export type Lag = Map<number, number>

/** Reads the lag histogram; null if nines does not respond. */
export async function readLag(world: World): Promise<Lag | null> {
  const url = world.nines()?.url
  if (url === undefined) return null
  try {
    const headers = { authorization: `Bearer ${metricsToken}` }
    const text = await (await fetch(`${url}/metrics`, { headers })).text()
    const buckets = text.matchAll(/^nines_event_loop_lag_seconds_bucket\{le="([^"]+)"\} (\d+)$/gm)
    return new Map([...buckets].map(([, le, count]) => [Number(le?.replace('+Inf', 'Infinity')), Number(count)]))
  } catch {
    return null // it has just ended
  }
}

/** Number of timers in these histograms that were later than `seconds`. */
export function laterThan(seconds: number, lags: Lag[]): number {
  return lags.reduce((sum, lag) => sum + (lag.get(Infinity) ?? 0) - (lag.get(seconds) ?? 0), 0)
}
