import type { Clock } from '../clock.ts'
import { AppError } from '../errors.ts'
import type { Answer, Source, SourceOpener } from './source.ts'

/** How a source answered, as far as is known since the start. A query that it refuses is an answer too. */
export type LastAnswers = {
  /** Its last answer, and how long the request took. */
  answeredAtMs: number | null
  latencyMs: number | null
  /** Why the last question got no answer, and since when none does; null where it got one. */
  error: string | null
  failingSinceMs: number | null
}

/** Notes how sources answer all requests. */
export type SourceAnswers = {
  /** Opens sources whose answers are noted. */
  noting(opener: SourceOpener): SourceOpener
  of(sourceId: number): LastAnswers
}

const unknown: LastAnswers = { answeredAtMs: null, latencyMs: null, error: null, failingSinceMs: null }
const maxKept = 10_000

export function createSourceAnswers(clock: Clock): SourceAnswers {
  const known = new Map<number, LastAnswers>()

  function keep(id: number, answers: LastAnswers): void {
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
        if (id === unstored) return source
        const noting: Source = {
          ...source,
          instant: (...asked) => noted(id, () => source.instant(...asked)),
          range: (...asked) => noted(id, () => source.range(...asked)),
        }
        return noting
      },
    }),
    of: (sourceId) => known.get(sourceId) ?? unknown,
  }
}

/** The id of a source that is tried before it is stored. */
export const unstored = 0
