import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import { createLog, type Log } from '../log.ts'

/** The log that the settings ask for, on standard error. */
export function logTo(config: Config, clock: Clock): Log {
  return createLog({
    level: config.logLevel,
    format: config.logFormat,
    now: clock.now,
    write: (line) => process.stderr.write(line),
  })
}
