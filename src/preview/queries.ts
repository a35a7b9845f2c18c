import { AppError } from '../errors.ts'
import { allSettledOrThrow, type QueryRunner } from '../sources/query-session.ts'
import type { SliPlan } from '../sli/plan/plan.ts'
import { emptySelectors, type PreviewProblem } from './selectors.ts'
import { fillPlaceholders } from '../promql/analysis/placeholders.ts'
import { placeIn, readDefinition } from '../sli/plan/definition.ts'
import { type Measurement, noCommonLabels, type Sli } from '../sli/sli.ts'
import type { Definition } from '../slos/definition.ts'

type WindowEnd = { windowSeconds: number; endSeconds: number }

/**
 * Turns a refusal of the source into `invalid`, with the field whose query is refused, the source's message, and the place
 * where the grammar stops if the message names none. Any other error is returned unchanged.
 */
export async function explainRefusal(
  runner: QueryRunner,
  definition: Definition,
  { error, windowSeconds, endSeconds }: WindowEnd & { error: unknown },
): Promise<unknown> {
  if (!(error instanceof AppError) || error.kind !== 'source_refused') return error
  const { template, parts } = readDefinition(definition)
  const refused = await allSettledOrThrow(
    parts.map(async ({ from, to, field }) => {
      try {
        await runner.instant('preview', fillPlaceholders(template.text.slice(from, to), windowSeconds), endSeconds)
        return null
      } catch (cause) {
        return cause instanceof AppError && cause.kind === 'source_refused' ? { field, reason: cause.details } : null
      }
    }),
  )
  // Each part may be valid if only the whole is refused.
  const { field, reason } = refused.find((one) => one !== null) ?? {
    field: parts[0]?.field ?? 'metric_query',
    reason: error.details,
  }
  const { problem } = template
  const namesPosition = /\b\d+:\d+: parse error/.test(reason ?? '') // Prometheus names the place, VictoriaMetrics does not
  const position = problem && !namesPosition ? ` (${placeIn(parts, problem.position)}: ${problem.message})` : ''
  return new AppError('invalid', error.message, {
    problems: [{ field, message: `${reason ?? 'refused'}${position}`, code: 'query_refused' }],
    cause: error,
  })
}

type SilentParts = { problems: PreviewProblem[]; warnings: string[] }
type PreviewedSli = WindowEnd & { plan: SliPlan; own: Measurement; sli: Sli }

/**
 * Finds why there is no data, or why a side of the query counts nothing. A side without failures causes a warning only: it is fine,
 * but a misspelt label looks the same. Parts that the source does not answer are left out.
 */
export async function findSilentParts(
  runner: QueryRunner,
  definition: Definition,
  { plan, own, sli, windowSeconds, endSeconds }: PreviewedSli,
): Promise<SilentParts> {
  const lookup = { runner, atSeconds: endSeconds, lookback: windowSeconds < 86_400 ? '1h' : '24h' }
  const isSideSilent = 'percent' in sli && plan.sides && sli.percent === (plan.sides.counts === 'bad' ? 100 : 0)
  const hasNoData = 'reason' in sli && sli.reason === 'no_data'
  if (!hasNoData && !isSideSilent) return { problems: [], warnings: [] }
  const searchedText = isSideSilent ? (plan.sides?.counted.stored ?? null) : null
  const empty = await emptySelectors(lookup, definition, searchedText).catch((error: unknown) => {
    if (error instanceof AppError) return []
    throw error
  })
  if (isSideSilent && plan.sides?.counts === 'bad') {
    const warnings = empty.map(({ message }) => `${message} Nothing has failed, or its labels are misspelt.`)
    return { problems: [], warnings }
  }
  if (empty.length > 0 || !('reason' in sli)) return { problems: empty, warnings: [] }
  const field = readDefinition(definition).parts[0]?.field ?? 'metric_query'
  const hint =
    'result' in own && own.result === noCommonLabels
      ? 'Put sum(…) around both sides.'
      : 'Where two sides are divided or compared, put sum(…) around both; a range such as [1m] has to span two scrapes.'
  return {
    problems: [
      { field, message: sli.message, code: sli.reason === 'no_data' ? 'no_data' : 'unmeasurable', params: {}, hint },
    ],
    warnings: [],
  }
}
