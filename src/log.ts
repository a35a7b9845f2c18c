export const logLevels = ['debug', 'info', 'warn', 'error'] as const
export type LogLevel = (typeof logLevels)[number]
export type LogFormat = 'text' | 'json'
type Fields = Record<string, unknown>

/** One line per event. Callers pass no secrets: no tokens, passwords, credentials of a source, bodies or query strings. */
export type Log = Record<LogLevel, (message: string, fields?: Fields) => void>

type Options = { level: LogLevel; format: LogFormat; now: () => number; write: (line: string) => void }

export function createLog({ level, format, now, write }: Options): Log {
  const lowest = logLevels.indexOf(level)
  const at = (name: LogLevel) => (message: string, fields: Fields = {}) => {
    if (logLevels.indexOf(name) < lowest) return
    const time = new Date(now()).toISOString()
    const line =
      format === 'json'
        ? JSON.stringify({ time, level: name, message, ...plain(fields) })
        : [time, name.toUpperCase().padEnd(5), message, ...Object.entries(plain(fields)).map(textPair)].join(' ')
    write(`${line}\n`)
  }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

function plain(fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => [key, value instanceof Error ? describeError(value) : value]),
  )
}

function describeError(error: Error): string {
  const own = error.stack ?? `${error.name}: ${error.message}`
  return error.cause instanceof Error ? `${own}\ncaused by ${describeError(error.cause)}` : own
}

function textPair([key, value]: [string, unknown]): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return `${key}=${/[\s"=]/.test(text) ? JSON.stringify(text) : text}`
}
