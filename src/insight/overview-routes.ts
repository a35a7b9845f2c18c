import { Elysia } from 'elysia'
import { operation } from '../http/openapi/operation.ts'
import { type GuardDeps, signedIn } from '../http/signed-in.ts'
import { createSharedReads } from '../concurrency/shared-reads.ts'
import { maxUnstreamedCharacters } from '../http/bodies/streamed-responses.ts'
import {
  type FiringOfSlo,
  lengthOfOverview,
  type OverviewData,
  OverviewResponse,
  presentOverview,
  writeOverview,
} from './overview-model.ts'
import { overview, type OverviewDeps } from './overview.ts'

type Deps = OverviewDeps & {
  guard: GuardDeps
  listFiring: (organizationId: number) => Promise<FiringOfSlo[]>
}

/** `GET /slos/overview`: everything that a list of all SLOs shows. Concurrent requests share a read. */
export const overviewRoutes = ({ guard, listFiring, ...deps }: Deps) => {
  const sharedRead = createSharedReads<OverviewData>(deps.db.version)

  async function read(organizationId: number): Promise<OverviewData> {
    const nowMs = deps.clock.now()
    const rows = await overview(deps, organizationId)
    return { rows, firing: Map.groupBy(await listFiring(organizationId), ({ sloId }) => sloId), nowMs }
  }

  return new Elysia({ prefix: '/slos', tags: ['SLOs'] }).use(signedIn({ ...guard, writes: 'viewer' })).get(
    '/overview',
    async ({ caller: { organizationId } }) => {
      const data = await sharedRead(organizationId, () => read(organizationId))
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
