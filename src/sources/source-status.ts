import type { Clock } from '../clock.ts'
import { AppError } from '../errors.ts'
import type { Answer, Source, SourceOpener } from './source.ts'

/** Latest answers of a source since nines started. A rejected query is an answer too. */
export type SourceStatus = {
  /** Time of the last answer, and duration of the last successful request. */
  answeredAtMs: number | null
  latencyMs: number | null
  /** Why the last query got no answer, and since when queries get none; null if it got one. */
  error: string | null
  failingSinceMs: number | null
}

/** Records how sources answer queries. */
export type SourceAnswers = {
  /** Wraps an opener so that the answers of its sources are recorded. */
  noting(opener: SourceOpener): SourceOpener
  of(sourceId: number): SourceStatus
}

const unknown: SourceStatus = { answeredAtMs: null, latencyMs: null, error: null, failingSinceMs: null }
const maxKept = 10_000

export function createSourceAnswers(clock: Clock): SourceAnswers {
  const known = new Map<number, SourceStatus>()

  function keep(id: number, answers: SourceStatus): void {
    known.delete(id)
    known.set(id, answers)
    for (const [oldest] of known) if (known.size > maxKept) known.delete(oldest)
  }

  async function noted<T>(id: number, asked: () => Promise<Answer<T>>): Promise<Answer<T>> {
    try {
      const answer = await asked()
      keep(id, { ...unknown, answeredAtMs: clock.now(), latencyMs: answer.durationMs })
      return answer
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      const before = known.get(id) ?? unknown
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
    noting: (opener) => ({
      open(access) {
        const source = opener.open(access)
        const { id } = access
        if (id === unstoredSourceId) return source
        const recording: Source = {
          ...source,
          instant: (...asked) => noted(id, () => source.instant(...asked)),
          range: (...asked) => noted(id, () => source.range(...asked)),
        }
        return recording
      },
    }),
    of: (sourceId) => known.get(sourceId) ?? unknown,
  }
}

/** Id of a source that is tested before it is stored. */
export const unstoredSourceId = 0
