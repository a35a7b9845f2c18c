import { metricsToken, type World } from '../../test/chaos/world.ts'

/** By `le`, how often a timer of nines was late by at most so many seconds: the histogram that it exposes, since it was started. */
export type Lag = Map<number, number>

/** Null where nines does not answer. */
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

/** How often it was later than that, in all of these. */
export function laterThan(seconds: number, lags: Lag[]): number {
  return lags.reduce((sum, lag) => sum + (lag.get(Infinity) ?? 0) - (lag.get(seconds) ?? 0), 0)
}
