import { AppError } from './errors.ts'

export const logLevels = ['debug', 'info', 'warn', 'error'] as const
export type LogLevel = (typeof logLevels)[number]
export type LogFormat = 'text' | 'json'
type Fields = Record<string, unknown>

/** Writes a line per event. Callers pass no secrets: no tokens, passwords, credentials of a source, bodies or query strings. */
export type Log = Record<LogLevel, (message: string, fields?: Fields) => void>

type Options = { level: LogLevel; format: LogFormat; now: () => number; write: (line: string) => void }

/** Creates a log. `level` and `format` are read for each line, so that they may change. */
export function createLog(options: Options): Log {
  const { now, write } = options
  const writerOf = (name: LogLevel) => {
    return (message: string, fields: Fields = {}) => {
      const { level, format } = options
      if (logLevels.indexOf(name) < logLevels.indexOf(level)) return
      const time = new Date(now()).toISOString()
      const line =
        format === 'json'
          ? JSON.stringify({ time, level: name, message, ...plain(fields) })
          : [time, name.toUpperCase().padEnd(5), message, ...Object.entries(plain(fields)).map(textPair)].join(' ')
      write(`${line.replace(control, escaped)}\n`)
    }
  }
  return { debug: writerOf('debug'), info: writerOf('info'), warn: writerOf('warn'), error: writerOf('error') }
}

function plain(fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => [key, loggable(value)]),
  )
}

/** Converts a value to one that JSON can hold. Logging must not fail, least of all while it reports an unexpected error. */
function loggable(value: unknown): unknown {
  if (value instanceof Error) return describeError(value)
  if (['bigint', 'function', 'symbol'].includes(typeof value)) return String(value)
  try {
    JSON.stringify(value)
    return value
  } catch {
    return Object.prototype.toString.call(value)
  }
}

/** Describes an error with its causes and stacks; one that nines expects, an `AppError`, in one line. */
function describeError(error: Error, depth = 0): string {
  if (error instanceof AppError) return [error.message, error.details].filter(Boolean).join(': ')
  const own = error.stack ?? `${error.name}: ${error.message}`
  if (error.cause === undefined || depth === maxCauses) return own
  return `${own}\ncaused by ${error.cause instanceof Error ? describeError(error.cause, depth + 1) : error.cause}`
}

/** An error can be its own cause, so the chain is bounded. */
const maxCauses = 10

function textPair([key, value]: [string, unknown]): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return `${key}=${/^$|[\s"=\p{Cc}]/u.test(text) ? JSON.stringify(text) : text}`
}

/** Characters that JSON does not escape although a terminal obeys them or a line reader takes them for a line end. */
const control = /[\p{Cc}\p{Zl}\p{Zp}]/gu

function escaped(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
}
