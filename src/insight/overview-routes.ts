import { Elysia } from 'elysia'
import { operation } from '../http/openapi/operation.ts'
import { type GuardDeps, signedIn } from '../http/signed-in.ts'
import { type Firing, OverviewResponse, presentOverview } from './overview-model.ts'
import { overview, type OverviewDeps } from './overview.ts'

type Deps = OverviewDeps & { guard: GuardDeps; listFiring: (organizationId: number) => Promise<Firing[]> }

/** What a list of all SLOs shows, in one answer. */
export const overviewRoutes = ({ guard, listFiring, ...deps }: Deps) =>
  new Elysia({ prefix: '/slos', tags: ['SLOs'] }).use(signedIn({ ...guard, writes: 'viewer' })).get(
    '/overview',
    async ({ caller: { organizationId } }) => {
      const rows = await overview(deps, organizationId)
      return presentOverview(rows, await listFiring(organizationId), deps.clock.now())
    },
    operation('getOverview', 'All SLOs as a list shows them: status, budget, burn rate, alerts, 30 days', {
      description:
        'All active SLOs in one answer, with what is firing and the budget used on each of the last 30 days. ' +
        'Everything is as last evaluated; no source is asked.',
      200: OverviewResponse,
    }),
  )
