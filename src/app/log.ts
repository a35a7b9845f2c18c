import { LRUCache } from 'lru-cache'
import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import { isDiskFailure } from '../db/failures/disk-failure.ts'
import { createLog, type Log } from '../log.ts'

const quietMs = 60_000
const maxRemembered = 500

/** The configured log, on standard error. */
export function logTo(config: Config, clock: Clock): Log {
  return createLog({
    level: config.logLevel,
    format: config.logFormat,
    now: clock.now,
    write: (line) => process.stderr.write(line),
  })
}

/**
 * Logs a repeated error at most once a minute; `times` is how often it occurred since. Disk failures are not logged here, because
 * `status/watch/disk-watch` reports them once for all writes.
 */
export function createDeduplicatingLog(log: Log, clock: Clock): Log {
  const lastLogged = new LRUCache<string, { atMs: number; suppressed: number }>({ max: maxRemembered })

  return {
    ...log,
    error(message, fields = {}) {
      const { error, ...others } = fields
      if (isDiskFailure(error)) return
      if (error === undefined) return log.error(message, fields)
      const nowMs = clock.now()
      const key = [
        message,
        ...Object.entries(others).map(([name, value]) => `${name}=${String(value)}`),
        String(error),
      ].join('\n')
      const last = lastLogged.get(key)
      if (last && Math.abs(nowMs - last.atMs) < quietMs) {
        last.suppressed += 1
        return
      }
      log.error(message, last ? { ...fields, times: last.suppressed + 1 } : fields)
      lastLogged.set(key, { atMs: nowMs, suppressed: 0 })
    },
  }
}
