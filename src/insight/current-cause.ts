import { AppError } from '../errors.ts'
import type { Evaluation, FailureCause } from '../evaluation/evaluation-store.ts'
import type { CauseFinder } from '../evaluation/evaluate.ts'
import type { Log } from '../log.ts'
import type { Source } from '../sources/source.ts'
import { rankLabels } from './breakdown.ts'
import { countByLabel, selectingLabels } from './breakdown-series.ts'

/** Maximum number of SLOs queried in a minute; `maxRenewed`: of them, those queried before. */
const maxQueried = 8
const maxRenewed = 4

const usualTimeoutMs = 1500

type CauseRequest = Parameters<CauseFinder>[0]

/**
 * Creates the function that queries a source for the cause of those SLOs that burn beyond chance, as fast as one of their tiers:
 * the label value with the most failures beyond its share of the traffic, in the newest stretch. It queries an SLO once a minute,
 * at most 8 SLOs a minute, those never queried first, and waits at most `timeoutMs`: a message must not be late for it.
 */
export function createCauseFinder({ log, timeoutMs = usualTimeoutMs }: { log: Log; timeoutMs?: number }): CauseFinder {
  /** Last query for each SLO that burns: its minute, and the last answer. */
  const known = new Map<number, { queriedAtSeconds: number; cause?: FailureCause | null }>()
  let minute = { atSeconds: 0, count: 0 }

  function selectDue({ planned, atSeconds }: CauseRequest, evaluations: readonly Evaluation[]) {
    const stretchOf = new Map(
      evaluations.flatMap((one) => (isBurning(one) ? [[one.sloId, one.recent?.seconds ?? 0]] : [])),
    )
    for (const { sloId } of evaluations) if (!stretchOf.has(sloId)) known.delete(sloId)
    if (stretchOf.size === 0) return []
    if (minute.atSeconds !== atSeconds) minute = { atSeconds, count: 0 }
    const lastOf = (id: number) => known.get(id)?.queriedAtSeconds ?? -Infinity
    return planned
      .flatMap(({ slo: { id }, plan: { counters } }) => {
        const seconds = stretchOf.get(id)
        return counters && seconds && lastOf(id) !== atSeconds
          ? [{ id, counters, startSeconds: atSeconds - seconds }]
          : []
      })
      .toSorted((one, other) => lastOf(one.id) - lastOf(other.id) || one.id - other.id)
      .filter(({ id }) => {
        if (minute.count >= (known.has(id) ? maxRenewed : maxQueried)) return false
        minute.count += 1
        known.set(id, { ...known.get(id), queriedAtSeconds: atSeconds })
        return true
      })
  }

  async function queryCauses({ source, atSeconds }: CauseRequest, due: ReturnType<typeof selectDue>): Promise<void> {
    const signal = AbortSignal.timeout(timeoutMs)
    const timedOut = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
    const limited = withLimits(source, { timeoutMs, signal })
    const queries = due.map(async ({ id, ...stretch }) => {
      try {
        const cause = await causeOf(limited, { ...stretch, endSeconds: atSeconds })
        if (!signal.aborted) known.set(id, { queriedAtSeconds: atSeconds, cause })
      } catch (error) {
        if (!(error instanceof AppError) && !signal.aborted)
          log.error('cause of failures not found', { slo_id: id, error })
      }
    })
    await Promise.race([Promise.all(queries), timedOut])
  }

  return async function findCauses(chunk, evaluations) {
    const due = selectDue(chunk, evaluations)
    if (due.length > 0) await queryCauses(chunk, due)
    return (sloId) => known.get(sloId)?.cause
  }
}

/** True if the newest stretch burns beyond chance while a tier fires, or as fast as the fastest page tier. */
function isBurning({ isFailed, recent, burnRates }: Evaluation): boolean {
  const rate = recent?.isBeyondChance ? (recent.rate ?? 0) : 0
  if (isFailed || rate <= 1) return false
  const fastest = burnRates.find(({ severity, enabled }) => severity === 'page' && enabled)
  return rate >= (fastest?.factor ?? Infinity) || burnRates.some(({ enabled, firing }) => enabled && firing === true)
}

async function causeOf(source: Source, stretch: Parameters<typeof countByLabel>[1]): Promise<FailureCause | null> {
  const { counters } = stretch
  const { labels } = await countByLabel(source, stretch)
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
