import { Elysia, t } from 'elysia'
import type { Clock } from '../clock.ts'
import type { Database } from '../db/open.ts'
import type { SharedReads } from '../concurrency/shared-reads.ts'
import { maxUnstreamedCharacters } from '../http/bodies/streamed-responses.ts'
import type { Planner } from '../sli/plan/planner.ts'
import { operation } from '../http/openapi/operation.ts'
import { Decoded, Id } from '../http/schemas.ts'
import { type GuardDeps, signedIn } from '../http/signed-in.ts'
import { sourceProblems } from '../sli/model.ts'
import { AnnotationCostResponse, presentCost } from './annotation-cost-model.ts'
import { annotationCost } from './annotation-costs.ts'
import type { BudgetIncidents } from './budget-incidents.ts'
import type { createIncidentBreakdown } from './incident-breakdown.ts'
import { BreakdownResponse, IncidentsResponse, presentBreakdown, presentIncidents } from './incident-model.ts'
import { overview, type OverviewDeps } from './overview.ts'
import {
  type FiringOfSlo,
  lengthOfOverview,
  type OverviewData,
  OverviewResponse,
  presentOverview,
  writeOverview,
} from './overview-model.ts'
import type { createSuggestions } from './suggestions/suggestions.ts'
import { presentSuggestions, SuggestionsResponse } from './suggestions/suggestions-model.ts'

type OverviewRoutesDeps = OverviewDeps & {
  guard: GuardDeps
  overviewReads: SharedReads<OverviewData>
  listFiring: (organizationId: number) => Promise<FiringOfSlo[]>
}

/** `GET /slos/overview`: everything that a list of all SLOs shows. Concurrent requests share a read. */
export const overviewRoutes = ({ guard, listFiring, overviewReads, ...deps }: OverviewRoutesDeps) => {
  async function read(organizationId: number): Promise<OverviewData> {
    const nowMs = deps.clock.now()
    const rows = await overview(deps, organizationId)
    return { rows, firing: Map.groupBy(await listFiring(organizationId), ({ sloId }) => sloId), nowMs }
  }

  return new Elysia({ prefix: '/slos', tags: ['SLOs'] }).use(signedIn({ ...guard, writes: 'viewer' })).get(
    '/overview',
    async ({ caller: { organizationId } }) => {
      const data = await overviewReads(organizationId, () => read(organizationId))
      if (lengthOfOverview(data) <= maxUnstreamedCharacters) return presentOverview(data)
      const response = await guard.streamedResponses(organizationId, writeOverview(data))
      return response as unknown as OverviewResponse // a Response bypasses the schema
    },
    operation('getOverview', 'All SLOs as a list shows them: status, budget, burn rate, alerts, 30 days', {
      description:
        'All active SLOs in one answer, with what is firing and the budget used on each of the last 30 days. ' +
        'Everything is as last evaluated; no source is asked.',
      200: OverviewResponse,
    }),
  )
}

const OfSlo = t.Object({ id: Id('SLO') })
const OfSource = t.Object({ id: Id('source') })
const Key = Decoded(t.String({ pattern: '^[1-9][0-9]{0,11}$', description: 'the `key` of an incident' }), Number)

const OfIncident = t.Object({ id: Id('SLO'), key: Key })

type IncidentRoutesDeps = {
  clock: Clock
  guard: GuardDeps
  budgetIncidents: (organizationId: number, sloId: number) => Promise<BudgetIncidents>
  incidentBreakdown: ReturnType<typeof createIncidentBreakdown>
}

/** Incidents that used the budget of an SLO, and their breakdown. */
export const incidentRoutes = ({ guard, clock, budgetIncidents, incidentBreakdown }: IncidentRoutesDeps) => {
  const { breakdownOf, causeOf } = incidentBreakdown
  const nowSeconds = () => Math.floor(clock.now() / 1000)
  return new Elysia({ prefix: '/slos/:id', tags: ['SLOs'] })
    .use(signedIn({ ...guard, writes: 'viewer' }))
    .get(
      '/incidents',
      async ({ caller, params }) => {
        const result = await budgetIncidents(caller.organizationId, params.id)
        return presentIncidents(result, causeOf, nowSeconds())
      },
      operation('getIncidents', 'The incidents that used the error budget of an SLO', {
        description:
          'The largest first, within the window of the SLO up to now. With `background_percent` their ' +
          '`budget_used_percent` add up to that of the answer. Only failures that count are in them: `excluded` of ' +
          'GET /incidents/:id says what corrections leave out. Asks the source only for minutes that the ledger ' +
          'no longer has.',
        params: OfSlo,
        200: IncidentsResponse,
      }),
    )
    .get(
      '/incidents/:key/breakdown',
      async ({ caller, params }) => {
        const result = await breakdownOf(caller.organizationId, params.id, params.key)
        return presentBreakdown(result, nowSeconds())
      },
      operation('getIncidentBreakdown', 'Which values of which labels failed more than their share of the traffic', {
        description:
          'Compares, for each label of the series behind the SLI with 2 to 50 values, the share of failures with the share of traffic. ' +
          'Where that is not possible, `possible` is false and `reason` says why.',
        params: OfIncident,
        200: BreakdownResponse,
        404: 'There is no such SLO, or it has no such incident in its window',
        ...sourceProblems,
      }),
    )
}

type SuggestionRoutesDeps = { guard: GuardDeps; suggestionsOf: ReturnType<typeof createSuggestions> }

/** SLOs that are suggested for the metrics of a source. */
export const suggestionRoutes = ({ guard, suggestionsOf }: SuggestionRoutesDeps) =>
  new Elysia({ prefix: '/tsdb/sources/:id', tags: ['Sources'] }).use(signedIn({ ...guard, writes: 'viewer' })).get(
    '/suggestions',
    async ({ caller, params }) => {
      const { row, found, sloOf } = await suggestionsOf(caller.organizationId, params.id)
      return presentSuggestions(row, found, sloOf)
    },
    operation('listSuggestions', 'SLOs that the metrics of a source are good for', {
      description:
        'Looks for metrics of requests, latencies, probes and scrapes that had traffic in the last day, and suggests at most 20 SLOs, each with ' +
        'its queries, a target that the past reached, and the past day by day. The source is asked at most once in five minutes.',
      params: OfSource,
      200: SuggestionsResponse,
      ...sourceProblems,
    }),
  )

type AnnotationRoutesDeps = { db: Database; clock: Clock; planner: Planner; guard: GuardDeps }

/** Error budget that the SLOs of a deploy used. */
export const annotationCostRoutes = ({ guard, ...deps }: AnnotationRoutesDeps) =>
  new Elysia({ prefix: '/annotations/:id', tags: ['Annotations'] }).use(signedIn({ ...guard, writes: 'viewer' })).get(
    '/cost',
    async ({ caller, params }) => presentCost(await annotationCost(deps, caller.organizationId, params.id)),
    operation(
      'getAnnotationCost',
      'The error budget that was used from a deploy until the next, beside the time before',
      {
        description:
          'For each SLO that it matches, until the next deploy that matches that SLO, at most for the length of its window. Sums over the ' +
          'ledger; no source is asked.',
        params: t.Object({ id: Id('annotation') }),
        200: AnnotationCostResponse,
      },
    ),
  )
