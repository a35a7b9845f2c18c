import { AppError } from '../errors.ts'
import type { Evaluation, FailureCause } from '../evaluation/evaluation-store.ts'
import type { CauseFinder } from '../evaluation/evaluate.ts'
import type { Log } from '../log.ts'
import type { Source } from '../sources/source.ts'
import { rankLabels } from './breakdown.ts'
import { countByLabel, selectingLabels } from './breakdown-series.ts'

/** Maximum number of SLOs queried in a minute. */
const maxQueried = 8
/** An SLO that was queried in an earlier minute is queried again only while fewer than this were queried in the minute. */
const maxRepeated = 4

const defaultTimeoutMs = 1500

type CauseRequest = Parameters<CauseFinder>[0]

/**
 * Creates the function that queries a source for the causes of failures of SLOs that burn (`isBurning`). The cause is the label value
 * with the most failures beyond its share of the traffic, in the time of `Evaluation.recent`. It queries an SLO at most once a
 * minute and at most 8 SLOs a minute, those never queried first. It waits at most `timeoutMs`, so that it does not delay notifications.
 */
export function createCauseFinder({
  log,
  timeoutMs = defaultTimeoutMs,
}: {
  log: Log
  timeoutMs?: number
}): CauseFinder {
  /** Last query for each SLO that burns: its minute, and the cause from the last answer (null: no label explains the failures). */
  const lastQueries = new Map<number, { queriedAtSeconds: number; cause?: FailureCause | null }>()
  let minute = { atSeconds: 0, count: 0 }

  function selectDue({ planned, atSeconds }: CauseRequest, evaluations: readonly Evaluation[]) {
    const recentSecondsOf = new Map(
      evaluations.flatMap((one) => (isBurning(one) ? [[one.sloId, one.recent?.seconds ?? 0]] : [])),
    )
    for (const { sloId } of evaluations) if (!recentSecondsOf.has(sloId)) lastQueries.delete(sloId)
    if (recentSecondsOf.size === 0) return []
    if (minute.atSeconds !== atSeconds) minute = { atSeconds, count: 0 }
    const lastOf = (id: number) => lastQueries.get(id)?.queriedAtSeconds ?? -Infinity
    return planned
      .flatMap(({ slo: { id }, plan: { counters } }) => {
        const seconds = recentSecondsOf.get(id)
        return counters && seconds && lastOf(id) !== atSeconds
          ? [{ id, counters, startSeconds: atSeconds - seconds }]
          : []
      })
      .toSorted((one, other) => lastOf(one.id) - lastOf(other.id) || one.id - other.id)
      .filter(({ id }) => {
        if (minute.count >= (lastQueries.has(id) ? maxRepeated : maxQueried)) return false
        minute.count += 1
        lastQueries.set(id, { ...lastQueries.get(id), queriedAtSeconds: atSeconds })
        return true
      })
  }

  async function queryCauses({ source, atSeconds }: CauseRequest, due: ReturnType<typeof selectDue>): Promise<void> {
    const signal = AbortSignal.timeout(timeoutMs)
    const timedOut = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
    const limited = withLimits(source, { timeoutMs, signal })
    const queries = due.map(async ({ id, ...span }) => {
      try {
        const cause = await causeOf(limited, { ...span, endSeconds: atSeconds })
        if (!signal.aborted) lastQueries.set(id, { queriedAtSeconds: atSeconds, cause })
      } catch (error) {
        if (!(error instanceof AppError) && !signal.aborted)
          log.error('cause of failures not found', { slo_id: id, error })
      }
    })
    await Promise.race([Promise.all(queries), timedOut])
  }

  return async function findCauses(request, evaluations) {
    const due = selectDue(request, evaluations)
    if (due.length > 0) await queryCauses(request, due)
    return (sloId) => lastQueries.get(sloId)?.cause
  }
}

/** True if the newest data burns the budget beyond chance, and either a tier fires or the burn rate is that of the fastest page tier. */
function isBurning({ isFailed, recent, burnRates }: Evaluation): boolean {
  const rate = recent?.isBeyondChance ? (recent.rate ?? 0) : 0
  if (isFailed || rate <= 1) return false
  const fastest = burnRates.find(({ severity, enabled }) => severity === 'page' && enabled)
  return rate >= (fastest?.factor ?? Infinity) || burnRates.some(({ enabled, firing }) => enabled && firing === true)
}

async function causeOf(source: Source, span: Parameters<typeof countByLabel>[1]): Promise<FailureCause | null> {
  const { counters } = span
  const { labels } = await countByLabel(source, span)
  const [first] = rankLabels(labels, { counts: counters.counts, selecting: selectingLabels(counters) })
  const value = first?.explains ? first.values[0] : undefined
  if (!first || !value) return null
  return {
    label: first.label,
    value: value.value,
    failures_percent: value.failuresPercent,
    traffic_percent: first.isSelecting ? null : value.trafficPercent, // a selected value has failures only
  }
}

function withLimits(source: Source, limits: { timeoutMs: number; signal: AbortSignal }): Source {
  const { name, identity = source, instant, range, types } = source
  return {
    name,
    identity,
    instant: (expression, atSeconds, options) => instant(expression, atSeconds, { ...options, ...limits }),
    range: (expression, grid, options) => range(expression, grid, { ...options, ...limits }),
    ...(types && { types: (metric, options) => types(metric, { ...options, ...limits }) }),
  }
}
