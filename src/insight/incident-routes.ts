import { Elysia, t } from 'elysia'
import { operation } from '../http/openapi/operation.ts'
import { Decoded, Id } from '../http/schemas.ts'
import { type GuardDeps, signedIn } from '../http/signed-in.ts'
import { sourceProblems } from '../sli/model.ts'
import { createBudgetIncidents, type IncidentDeps } from './budget-incidents.ts'
import { createIncidentBreakdown } from './incident-breakdown.ts'
import { BreakdownResponse, IncidentsResponse, presentBreakdown, presentIncidents } from './incident-model.ts'

const Key = Decoded(t.String({ pattern: '^[1-9][0-9]{0,11}$', description: 'the `key` of an incident' }), Number)

/** Incidents that used the budget of an SLO, and their breakdown. */
export const incidentRoutes = ({ guard, ...deps }: IncidentDeps & { guard: GuardDeps }) => {
  const budgetIncidents = createBudgetIncidents(deps)
  const { breakdownOf, causeOf } = createIncidentBreakdown({ ...deps, budgetIncidents })
  return new Elysia({ prefix: '/slos/:id', tags: ['SLOs'] })
    .use(signedIn({ ...guard, writes: 'viewer' }))
    .get(
      '/incidents',
      async ({ caller, params }) => presentIncidents(await budgetIncidents(caller.organizationId, params.id), causeOf),
      operation('getIncidents', 'The incidents that used the error budget of an SLO', {
        description:
          'The largest first, within the window of the SLO up to now. With `background_percent` their ' +
          '`budget_percent` add up to `budget_used_percent`. Asks the source only for minutes that the ledger no ' +
          'longer has.',
        params: t.Object({ id: Id('SLO') }),
        200: IncidentsResponse,
      }),
    )
    .get(
      '/incidents/:key/breakdown',
      async ({ caller, params }) => presentBreakdown(await breakdownOf(caller.organizationId, params.id, params.key)),
      operation('getIncidentBreakdown', 'Which values of which labels failed more than their share of the traffic', {
        description:
          'Compares, for each label of the series behind the SLI with 2 to 50 values, the share of failures with the share of traffic. ' +
          'Where that is not possible, `possible` is false and `reason` says why.',
        params: t.Object({ id: Id('SLO'), key: Key }),
        200: BreakdownResponse,
        404: 'There is no such SLO, or it has no such incident in its window',
        ...sourceProblems,
      }),
    )
}
