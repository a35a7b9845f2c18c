import { Elysia, type Static, t } from 'elysia'
import type { Cache } from '../../cache/cache.ts'
import { type Clock, isoTime, minuteMs } from '../../clock.ts'
import type { Database } from '../../db/open.ts'
import { operation } from '../../http/openapi/operation.ts'
import { Format, guardOf } from '../../http/schemas.ts'
import { type GuardDeps, signedIn } from '../../http/signed-in.ts'
import { durationSeconds } from '../../promql/literals.ts'
import { getOrCompute } from '../../sli/query-cache.ts'
import { listCurrentRevisions } from '../../slos/store.ts'
import { availabilityTrend, type AvailabilityTrend, trendQuery } from './availability-trend.ts'
import { openStep, seriesSteps, type Steps } from './series-steps.ts'

type Deps = { db: Database; clock: Clock; cache: Cache; guard: GuardDeps }

/** Cache TTL of only a minute: late samples reach the ledger a minute at a time. */
const holdsMs = minuteMs

const maxSeconds = 90 * 86_400

const WholeMinutes = Format('whole-minutes', 'whole minutes, at most 90d, written like 30m, 24h or 7d', (text) => {
  const seconds = /^\d{1,7}[smhd]$/.test(text) ? durationSeconds(text) : undefined
  return seconds !== undefined && seconds > 0 && seconds % 60 === 0 && seconds <= maxSeconds
})

const TrendQuery = t.Object({ period: t.Optional(WholeMinutes), step: t.Optional(WholeMinutes) })

const Trend = t.Object(
  {
    period: t.String(),
    step: t.String(),
    start_time: t.String(),
    end_time: t.String(),
    points: t.Array(t.Object({ timestamp: t.String(), avg_sli: t.Number(), slo_count: t.Number() })),
    metadata: t.Object({ cached: t.Boolean() }),
  },
  { title: 'AvailabilityTrend' },
)

/** `metadata.cached` is not read from a cached answer, but set for each answer. */
type Trend = Static<typeof Trend>
const isTrend = guardOf(Trend)

/** Mean availability of all SLOs over time, from the ledger; no source is queried. */
export const availabilityTrendRoutes = ({ guard, ...deps }: Deps) =>
  new Elysia({ prefix: '/slos', tags: ['SLOs'] }).use(signedIn({ ...guard, writes: 'viewer' })).get(
    '/availability-trend',
    async ({ caller, query }) => {
      const { period = '24h', step } = query
      const stepSeconds = step === undefined ? undefined : durationSeconds(step)
      const steps = seriesSteps({ periodSeconds: durationSeconds(period), stepSeconds }, deps.clock.now())
      return cachedTrend(deps, caller.organizationId, period, steps)
    },
    operation('getAvailabilityTrend', 'How available all SLOs together were', {
      query: TrendQuery,
      200: Trend,
      description:
        'For each step the mean of the SLIs of all active SLOs that have one. Steps are whole in UTC; the last one has not ended ' +
        'and reaches up to `end_time`. Backfilled history from before an SLO was created counts.',
    }),
  )

/** Availability trend of the present revisions of all SLOs, at most a minute old. */
async function cachedTrend(
  { db, clock, cache }: Omit<Deps, 'guard'>,
  organizationId: number,
  period: string,
  steps: Steps,
): Promise<Trend> {
  const nowMs = clock.now()
  const slos = await listCurrentRevisions(db.read, organizationId)
  const keyParts = ['trend', steps, openStep(steps, nowMs), slos.toSorted((a, b) => a.id - b.id)]
  const query = { organizationId, sloId: 0, window: period, query: trendQuery, keyParts, holdsMs, isValue: isTrend }
  const compute = async () => {
    const trend = await availabilityTrend(db, organizationId, slos, steps, nowMs)
    return { value: presentTrend(period, steps, trend), isPartial: false, isCacheable: true }
  }
  const { value, isCached } = await getOrCompute({ cache }, { ...query, compute })
  return { ...value, metadata: { cached: isCached } }
}

/** Presents a trend. A point's time is the start of its step; the last step may not have ended. */
function presentTrend(period: string, steps: Steps, { endSeconds, points }: AvailabilityTrend): Trend {
  return {
    period,
    step: durationText(steps.stepSeconds),
    start_time: isoTime(steps.startSeconds * 1000),
    end_time: isoTime(endSeconds * 1000),
    points: points.map(({ atSeconds, avgSli, sloCount }) => ({
      timestamp: isoTime(atSeconds * 1000),
      avg_sli: avgSli,
      slo_count: sloCount,
    })),
    metadata: { cached: false },
  }
}

function durationText(seconds: number): string {
  if (seconds % 86_400 === 0) return `${seconds / 86_400}d`
  return seconds % 3600 === 0 ? `${seconds / 3600}h` : `${seconds / 60}m`
}
