import type { Health, Item } from './item.ts'

/** Samples that come from targets, probes, heartbeats or senders. `series`: number of series in the last runs or requests. */
export type Intake = {
  /** Number of targets, probes, heartbeats or senders. */
  count: number
  samplesPerSecond: number
  series: number
  /** Time of the newest samples; null: no samples came. */
  storedMs: number | null
  lastError: { of: string; text: string; atMs: number } | null
}

/** Intake from these active targets or probes, by their last runs. A probe that finds its target down has samples, too. */
export function intakeOf(entries: Iterable<{ item: Item; health: Health }>): Intake {
  const intake: Intake = { count: 0, samplesPerSecond: 0, series: 0, storedMs: null, lastError: null }
  for (const { item, health } of entries) {
    const { name, intervalMs } = item.definition
    intake.count += 1
    intake.samplesPerSecond += (health.samples * 1000) / intervalMs
    intake.series += health.samples
    for (const { atMs, ok, error } of health.recent) {
      if (ok || item.kind === 'probe') intake.storedMs = Math.max(atMs, intake.storedMs ?? -Infinity)
      if (error !== null) intake.lastError = newer(intake.lastError, { of: name, text: error, atMs })
    }
    const { lastError, lastAtMs } = health // unlike `recent`, also says why the samples of a probe were refused
    if (lastError !== null && lastAtMs !== null)
      intake.lastError = newer(intake.lastError, { of: name, text: lastError, atMs: lastAtMs })
  }
  return intake
}

/** The newer of two errors; `a` null: `b` is the only one. */
export function newer(a: Intake['lastError'], b: NonNullable<Intake['lastError']>): NonNullable<Intake['lastError']> {
  return a && a.atMs > b.atMs ? a : b
}
