import type { Config } from '../../config.ts'

export type BackoffConfig = Pick<Config, 'notifyRetryDelaySeconds' | 'notifyRetryFactor'>

const maxMs = 300_000

/** How long to wait for the next attempt after `retries` of them: anything up to a bound that grows (full jitter). */
export function backoffMs(
  retries: number,
  { notifyRetryDelaySeconds, notifyRetryFactor }: BackoffConfig,
  random: () => number,
): number {
  return Math.round(random() * Math.min(maxMs, notifyRetryDelaySeconds * 1000 * notifyRetryFactor ** retries))
}
