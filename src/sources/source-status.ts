import type { Clock } from '../clock.ts'
import { AppError } from '../errors.ts'
import type { Answer, Source, SourceOpener } from './source.ts'

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

export function createSourceAnswers(clock: Clock): SourceAnswers {
  const statuses = new Map<number, SourceStatus>()

  function keep(id: number, status: SourceStatus): void {
    statuses.delete(id)
    statuses.set(id, status)
    for (const [oldest] of statuses) if (statuses.size > maxKept) statuses.delete(oldest)
  }

  async function recorded<T>(id: number, query: () => Promise<Answer<T>>): Promise<Answer<T>> {
    try {
      const answer = await query()
      keep(id, { ...unknown, answeredAtMs: clock.now(), latencyMs: answer.durationMs })
      return answer
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      const before = statuses.get(id) ?? unknown
      if (error.kind === 'source_refused') {
        keep(id, { ...before, answeredAtMs: clock.now(), error: null, failingSinceMs: null })
      } else if (error.kind === 'source_unavailable') {
        const failingSinceMs = before.failingSinceMs ?? clock.now()
        keep(id, { ...before, error: error.details ?? error.message, failingSinceMs })
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
          instant: (...args) => recorded(id, () => source.instant(...args)),
          range: (...args) => recorded(id, () => source.range(...args)),
        }
        return recording
      },
    }),
    of: (sourceId) => statuses.get(sourceId) ?? unknown,
  }
}

/** Id of a source that is tested before it is stored. */
export const unstoredSourceId = 0
