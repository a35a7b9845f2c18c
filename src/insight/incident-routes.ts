import { Elysia, t } from 'elysia'
import { isoTime } from '../clock.ts'
import { operation } from '../http/openapi/operation.ts'
import { Id } from '../http/schemas.ts'
import { type GuardDeps, signedIn } from '../http/signed-in.ts'
import { tidy } from '../slos/arithmetic/budget.ts'
import { type BudgetIncidents, createBudgetIncidents, type IncidentDeps } from './budget-incidents.ts'

const MaybeNumber = t.Nullable(t.Number())

const IncidentsResponse = t.Object(
  {
    slo_id: t.Number(),
    target: t.Number(),
    start_time: t.String(),
    end_time: t.String(),
    budget_used_percent: MaybeNumber,
    background_percent: MaybeNumber,
    incidents: t.Array(
      t.Object({
        key: t.String({ description: 'names the incident in the path of its breakdown' }),
        began_at: t.String(),
        ended_at: t.String(),
        ongoing: t.Boolean(),
        duration_seconds: t.Number(),
        bad_events: t.Number({ description: 'events, or seconds where the SLO counts time' }),
        total_events: t.Number(),
        peak_percent: t.Number({
          description: 'the highest share of failures in one minute, or hour where that is all there is',
        }),
        budget_percent: t.Number({ description: 'its share of the error budget' }),
      }),
    ),
  },
  { title: 'Incidents' },
)

const params = t.Object({ id: Id('SLO') })

/** Where the budget of an SLO went. */
export const incidentRoutes = ({ guard, ...deps }: IncidentDeps & { guard: GuardDeps }) => {
  const budgetIncidents = createBudgetIncidents(deps)
  return new Elysia({ prefix: '/slos/:id', tags: ['SLOs'] }).use(signedIn({ ...guard, writes: 'viewer' })).get(
    '/incidents',
    async ({ caller, params }) => presentIncidents(await budgetIncidents(caller.organizationId, params.id)),
    operation('getIncidents', 'The incidents that used the error budget of an SLO', {
      params,
      200: IncidentsResponse,
    }),
  )
}

function presentIncidents(found: BudgetIncidents): typeof IncidentsResponse.static {
  const { slo, startSeconds, endSeconds, usedPercent, backgroundPercent, incidents } = found
  return {
    slo_id: slo.id,
    target: slo.target,
    start_time: isoTime(startSeconds * 1000),
    end_time: isoTime(endSeconds * 1000),
    budget_used_percent: usedPercent,
    background_percent: backgroundPercent,
    incidents: incidents
      .toSorted((a, b) => b.sharePercent - a.sharePercent)
      .map((incident) => ({
        key: `${incident.startSeconds}-${incident.endSeconds}`,
        began_at: isoTime(incident.startSeconds * 1000),
        ended_at: isoTime(incident.endSeconds * 1000),
        ongoing: incident.isOngoing,
        duration_seconds: incident.endSeconds - incident.startSeconds,
        bad_events: tidy(incident.bad),
        total_events: tidy(incident.total),
        peak_percent: tidy(100 * incident.peak),
        budget_percent: incident.sharePercent,
      })),
  }
}
