import { type Clock, minuteMs, stopwatch } from '../clock.ts'
import { AppError } from '../errors.ts'
import type { Config } from '../config.ts'
import type { Log } from '../log.ts'
import type { Answer, Source, SourceAccess, SourceOpener } from './source.ts'

/** Latest answers of a source since nines started. A rejected query is an answer too. */
export type SourceStatus = {
  /** Time of the last answer, and duration of the last successful query. */
  answeredAtMs: number | null
  latencyMs: number | null
  /** Why the last query got no answer, and since when queries get none; null if it got one. */
  error: string | null
  failingSinceMs: number | null
}

/** Records how sources answer queries. */
export type SourceAnswers = {
  /** Wraps an opener so that the answers of its sources are recorded. */
  recording(opener: SourceOpener): SourceOpener
  of(sourceId: number): SourceStatus
}

const unknown: SourceStatus = { answeredAtMs: null, latencyMs: null, error: null, failingSinceMs: null }
const maxKept = 10_000

/** Maximum length of a query in the log, in characters. */
const maxLogged = 1000

type Deps = { clock: Clock; log: Log; config: Pick<Config, 'slowQuerySeconds'> }

export function createSourceAnswers({ clock, log, config }: Deps): SourceAnswers {
  const statuses = new Map<number, SourceStatus>()
  /** Time of the last slow query of each source that was logged, and the number of others since. */
  const slow = new Map<number, { loggedAtMs: number; others: number }>()

  /** Logs a query if it was slow: of each source one a minute, with the number of others. */
  function logIfSlow(
    { id: source_id, organizationId: organization_id }: SourceAccess,
    query: string,
    durationMs: number,
  ) {
    if (durationMs < config.slowQuerySeconds * 1000) return
    const last = slow.get(source_id)
    if (last && Math.abs(clock.now() - last.loggedAtMs) < minuteMs) return void (last.others += 1)
    slow.delete(source_id)
    slow.set(source_id, { loggedAtMs: clock.now(), others: 0 })
    for (const [oldest] of slow) if (slow.size > maxKept) slow.delete(oldest)
    const others = last?.others || undefined
    const duration_ms = Math.round(durationMs)
    log.warn('slow query', { organization_id, source_id, duration_ms, others, query: query.slice(0, maxLogged) })
  }

  function keep(id: number, status: SourceStatus): void {
    statuses.delete(id)
    statuses.set(id, status)
    for (const [oldest] of statuses) if (statuses.size > maxKept) statuses.delete(oldest)
  }

  async function recorded<T>(access: SourceAccess, text: string, query: () => Promise<Answer<T>>): Promise<Answer<T>> {
    const { id } = access
    const beganMs = stopwatch.now()
    try {
      const answer = await query()
      keep(id, { ...unknown, answeredAtMs: clock.now(), latencyMs: answer.durationMs })
      logIfSlow(access, text, answer.durationMs)
      return answer
    } catch (error) {
      logIfSlow(access, text, stopwatch.now() - beganMs)
      if (!(error instanceof AppError)) throw error
      const last = statuses.get(id) ?? unknown
      if (error.kind === 'source_refused') {
        keep(id, { ...last, answeredAtMs: clock.now(), error: null, failingSinceMs: null })
      } else if (error.kind === 'source_unavailable') {
        const failingSinceMs = last.failingSinceMs ?? clock.now()
        keep(id, { ...last, error: error.details ?? error.message, failingSinceMs })
      }
      throw error
    }
  }

  return {
    recording: (opener) => ({
      open(access) {
        const source = opener.open(access)
        const { id } = access
        if (id === unstoredSourceId) return source
        const recording: Source = {
          ...source,
          instant: (...args) => recorded(access, args[0], () => source.instant(...args)),
          range: (...args) => recorded(access, args[0], () => source.range(...args)),
        }
        return recording
      },
    }),
    of: (sourceId) => statuses.get(sourceId) ?? unknown,
  }
}

/** Id of a source that is tested before it is stored. */
export const unstoredSourceId = 0
