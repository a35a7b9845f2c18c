import { hourMs } from '../../clock.ts'
import type { Config } from '../../config.ts'

export type IdleSettings = Pick<Config, 'sessionIdleHours'>

/** A session last used before this time has ended; 0: it may be idle for as long as it lasts. */
export function idleSinceMs({ sessionIdleHours }: IdleSettings, nowMs: number): number {
  return sessionIdleHours === 0 ? 0 : nowMs - sessionIdleHours * hourMs
}
