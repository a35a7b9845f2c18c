import { stopwatch } from '../clock.ts'
import type { QueryAnswer, Engine } from '../embedded/engine.ts'
import { instantData, matrixOf } from '../embedded/api/result.ts'
import { AppError } from '../errors.ts'
import type { Metrics, SourceOutcome } from '../metrics.ts'
import type { Answer, QueryOptions, SourceAccess, SourceOpener } from './source.ts'

/** `api_url` of the source inside nines. */
export const embeddedUrl = 'embedded'

type Options = {
  engine: Engine
  /** Opens all other sources. */
  otherSources: SourceOpener
  timeoutMs: number
  metrics: Pick<Metrics, 'sourceQueried'>
  /** Metric metadata from the targets of an organization. */
  metadata: (organizationId: number) => readonly { metric: string; type: string }[]
  /** Queries are scheduled: nobody waits for their answers. */
  isScheduled?: boolean
}

const emptyAnnotations = { warnings: [], infos: [], isPartial: false, durationMs: 0 }

/** Maximum of points in an answer, which is read and sent as a whole. */
const maxPoints = 500_000

/** Identities of the sources of organizations, equal for all openers of an engine. */
const identities = new WeakMap<Engine, Map<number, object>>()

/** Opens the source inside nines, with the samples that the organization collected, and others with `otherSources`. */
export function withEmbedded({
  engine,
  otherSources,
  timeoutMs,
  metrics,
  metadata,
  isScheduled = false,
}: Options): SourceOpener {
  const identitiesOfEngine = identities.getOrInsertComputed(engine, () => new Map<number, object>())

  async function runQuery<T>(
    access: SourceAccess,
    options: QueryOptions = {},
    send: (limits: { timeoutMs: number; scheduled: boolean; maxPoints: number }) => Promise<QueryAnswer>,
    read: (queryAnswer: QueryAnswer) => Promise<T>,
  ): Promise<Answer<T>> {
    const beganMs = stopwatch.now()
    let outcome: SourceOutcome = 'unavailable'
    try {
      const leftMs = Math.max(1, (options.timeoutMs ?? timeoutMs) - (options.elapsedMs ?? 0))
      const scheduled = isScheduled || (options.urgent ?? false) // a health check, too, does not count against the CPU budget
      const queryAnswer = await send({ timeoutMs: leftMs, scheduled, maxPoints })
      const data = await read(queryAnswer)
      outcome = 'answered'
      return { ...emptyAnnotations, ...queryAnswer.annotations, data, durationMs: stopwatch.now() - beganMs }
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      if (error.kind !== 'too_slow') outcome = 'refused'
      throw asSourceError(access, error)
    } finally {
      metrics.sourceQueried(access.id, outcome, (stopwatch.now() - beganMs) / 1000)
    }
  }

  return {
    open(access) {
      if (access.apiUrl !== embeddedUrl) return otherSources.open(access)
      const { organizationId, name } = access
      return {
        name,
        identity: identitiesOfEngine.getOrInsertComputed(organizationId, () => ({})),
        instant: (query, atSeconds, options) =>
          runQuery(
            access,
            options,
            (limits) => engine.instant(organizationId, query, ms(atSeconds), limits),
            instantData,
          ),
        range: (query, { startSeconds, endSeconds, stepSeconds }, options) => {
          const range = { startMs: ms(startSeconds), endMs: ms(endSeconds), stepMs: ms(stepSeconds) }
          return runQuery(access, options, (limits) => engine.range(organizationId, query, range, limits), matrixOf)
        },
        async types(metric) {
          const families = metadata(organizationId).filter((family) => family.metric === metric)
          return { ...emptyAnnotations, data: [...new Set(families.map(({ type }) => type))] }
        },
      }
    },
  }
}

function asSourceError({ name }: SourceAccess, cause: AppError): AppError {
  if (cause.kind === 'rate_limited' || cause.kind === 'unavailable') return cause
  if (cause.kind === 'too_slow') {
    return new AppError('source_unavailable', 'metrics source did not answer', {
      details: `${name}: ${cause.message.toLowerCase()}`,
      cause,
    })
  }
  const details = [cause.kind === 'too_large' ? cause.message : '', cause.details ?? ''].filter(Boolean).join(': ')
  return new AppError('source_refused', 'metrics source refused the query', { details, cause })
}

function ms(seconds: number): number {
  return Math.round(seconds * 1000)
}
