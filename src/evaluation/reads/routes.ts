import { Elysia, t } from 'elysia'
import { operation } from '../../http/openapi/operation.ts'
import { Id } from '../../http/schemas.ts'
import { type GuardDeps, signedIn } from '../../http/signed-in.ts'
import { seriesSteps } from './series-steps.ts'
import { forecastWindows, presentBudget, SloBudget } from './budget-model.ts'
import { presentBurnRates, SloBurnRates, tierWindows } from './burn-rates-model.ts'
import { sloSeries } from './series.ts'
import { presentSeries, SeriesQuery, SloSeries } from './series-model.ts'
import { type Deps, readMeasuredSlo } from './measured-slo.ts'

const params = t.Object({ id: Id('SLO') })

/** How one SLO, deleted ones too, stands and has stood, from what nines has measured: no source is asked. */
export const sloReadsRoutes = ({ guard, ...deps }: Deps & { guard: GuardDeps }) =>
  new Elysia({ prefix: '/slos/:id', tags: ['SLOs'] })
    .use(signedIn({ ...guard, writes: 'viewer' }))
    .get(
      '/burn-rates',
      async ({ caller, params }) =>
        presentBurnRates(await readMeasuredSlo(deps, caller.organizationId, params.id, tierWindows)),
      {
        params,
        response: { 200: SloBurnRates },
        detail: operation('getBurnRates', 'The burn rates of an SLO, tier by tier'),
      },
    )
    .get(
      '/budget',
      async ({ caller, params }) =>
        presentBudget(await readMeasuredSlo(deps, caller.organizationId, params.id, forecastWindows)),
      {
        params,
        response: { 200: SloBudget },
        detail: operation('getBudget', 'The error budget of an SLO, its burn-down and forecast'),
      },
    )
    .get(
      '/series',
      async ({ caller, params, query: { period, start, end, step } }) => {
        const request = { periodSeconds: period, startMs: start, endMs: end, stepSeconds: step }
        const steps = seriesSteps(request, deps.clock.now())
        return presentSeries(params.id, steps, await sloSeries(deps, caller.organizationId, params.id, steps))
      },
      {
        params,
        query: SeriesQuery,
        response: { 200: SloSeries },
        detail: operation('getSeries', 'The SLI of an SLO over time'),
      },
    )
