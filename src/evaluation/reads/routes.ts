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

/** How one SLO, deleted ones too, stands and has stood, from what nines has measured: no source is queried. */
export const sloReadsRoutes = ({ guard, ...deps }: Deps & { guard: GuardDeps }) =>
  new Elysia({ prefix: '/slos/:id', tags: ['SLOs'] })
    .use(signedIn({ ...guard, writes: 'viewer' }))
    .get(
      '/burn-rates',
      async ({ caller, params }) =>
        presentBurnRates(await readMeasuredSlo(deps, caller.organizationId, params.id, tierWindows)),
      operation('getBurnRates', 'The burn rates of an SLO, tier by tier', { params, 200: SloBurnRates }),
    )
    .get(
      '/budget',
      async ({ caller, params }) =>
        presentBudget(await readMeasuredSlo(deps, caller.organizationId, params.id, forecastWindows)),
      operation('getBudget', 'The error budget of an SLO, its burn-down and forecast', { params, 200: SloBudget }),
    )
    .get(
      '/series',
      async ({ caller, params, query: { period, start, end, step } }) => {
        const request = { periodSeconds: period, startMs: start, endMs: end, stepSeconds: step }
        const steps = seriesSteps(request, deps.clock.now())
        return presentSeries(params.id, steps, await sloSeries(deps, caller.organizationId, params.id, steps))
      },
      operation('getSeries', 'The SLI of an SLO over time', { params, query: SeriesQuery, 200: SloSeries }),
    )
