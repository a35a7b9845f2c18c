import { LRUCache } from 'lru-cache'
import { type Clock, minuteMs } from '../clock.ts'
import type { Config } from '../config.ts'
import { isDiskFailure } from '../db/failures/disk-failure.ts'
import { createLog, type Log } from '../log.ts'

const minIntervalMs = minuteMs
const maxKnownErrors = 500

/** Creates the log on standard error. It follows changes of its level and format in `config`. */
export function createConfiguredLog(config: Config, clock: Clock): Log {
  return createLog({
    get level() {
      return config.logLevel
    },
    get format() {
      return config.logFormat
    },
    now: clock.now,
    write: (line) => process.stderr.write(line),
  })
}

/**
 * Logs the same error at most once a minute. `times` is how often it occurred since the previous line; messages without an error
 * are all logged. Disk failures are dropped, because `status/watch/disk-watch` reports them once for all writes.
 */
export function createDeduplicatingLog(log: Log, clock: Clock): Log {
  const lastLogged = new LRUCache<string, { atMs: number; suppressed: number }>({ max: maxKnownErrors })

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
      if (last && Math.abs(nowMs - last.atMs) < minIntervalMs) {
        last.suppressed += 1
        return
      }
      log.error(message, last ? { ...fields, times: last.suppressed + 1 } : fields)
      lastLogged.set(key, { atMs: nowMs, suppressed: 0 })
    },
  }
}
