import { Elysia, t } from 'elysia'
import type { Clock } from '../../clock.ts'
import type { Database } from '../../db/open.ts'
import { operation } from '../../http/openapi/operation.ts'
import { Id, Message } from '../../http/schemas.ts'
import { type GuardDeps, signedIn } from '../../http/signed-in.ts'
import { Backfill, presentBackfill } from './model.ts'
import { getBackfill } from './store.ts'
import { cancelBackfill, restartBackfill } from './backfills.ts'

type Deps = { db: Database; clock: Clock; guard: GuardDeps }

const params = t.Object({ id: Id('SLO') })

/** `/slos/:id/backfill`: how far the backfill of an SLO is. */
export const backfillRoutes = ({ guard, ...deps }: Deps) =>
  new Elysia({ prefix: '/slos/:id/backfill', tags: ['Backfills'] })
    .use(signedIn({ ...guard, writes: 'member' }))
    .get(
      '/',
      async ({ caller, params }) => presentBackfill(await getBackfill(deps.db.read, caller.organizationId, params.id)),
      {
        params,
        response: { 200: Backfill },
        detail: operation('getBackfill', 'How far the past of an SLO has been asked for'),
      },
    )
    .post(
      '/',
      async ({ caller, params }) => presentBackfill(await restartBackfill(deps, caller.organizationId, params.id)),
      {
        params,
        response: { 200: Backfill },
        detail: operation('restartBackfill', 'Ask for the past of an SLO once more'),
      },
    )
    .delete(
      '/',
      async ({ caller, params }) => {
        await cancelBackfill(deps, caller.organizationId, params.id)
        return { message: 'Backfill cancelled' }
      },
      {
        params,
        response: { 200: Message },
        detail: operation('cancelBackfill', 'Cancel a backfill', { 409: 'The backfill is over' }),
      },
    )
