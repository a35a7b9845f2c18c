import { Elysia, t } from 'elysia'
import { type Clock, isoTime } from '../../clock.ts'
import type { Database } from '../../db/open.ts'
import type { BackfillRow } from '../../db/tables/tables.ts'
import { AppError, invalid } from '../../errors.ts'
import { operation } from '../../http/openapi/operation.ts'
import { Id, Message } from '../../http/schemas.ts'
import { type GuardDeps, signedIn } from '../../http/signed-in.ts'
import { getActiveSlo } from '../store.ts'
import { findBackfill, getBackfill, isToDo, startBackfill, updateBackfill } from './store.ts'

type Deps = { db: Database; clock: Clock; guard: GuardDeps }

const params = t.Object({ id: Id('SLO') })

/** Backfill in responses. `progress`: share of the chunks that are done, 0 to 1. The number of chunks is known once it runs. */
const Backfill = t.Object(
  {
    slo_id: t.Number(),
    revision: t.Number(),
    status: t.String(),
    progress: t.Number(),
    chunks: t.Number(),
    chunks_done: t.Number(),
    slices: t.Number(),
    error: t.Nullable(t.String()),
    created_at: t.String(),
    updated_at: t.String(),
  },
  { title: 'Backfill' },
)

/** Routes of `/slos/:id/backfill`: the progress of an SLO's backfill. */
export const backfillRoutes = ({ guard, ...deps }: Deps) =>
  new Elysia({ prefix: '/slos/:id/backfill', tags: ['Backfills'] })
    .use(signedIn({ ...guard, writes: 'member' }))
    .get(
      '/',
      async ({ caller, params }) => presentBackfill(await getBackfill(deps.db.read, caller.organizationId, params.id)),
      operation('getBackfill', 'How far the backfill of an SLO is', {
        description:
          'A backfill asks the source for the past of a new SLO or a new query. `status` is `waiting`, `running`, ' +
          '`done`, `failed` or `cancelled`; `error` says why it failed.',
        params,
        200: Backfill,
      }),
    )
    .post(
      '/',
      async ({ caller, params }) => presentBackfill(await restartBackfill(deps, caller.organizationId, params.id)),
      operation('restartBackfill', 'Start the backfill of an SLO again', {
        description:
          'For members. Asks the source for the whole past again; one that waits or runs goes on as it is. It ' +
          'needs no body.',
        params,
        200: Backfill,
      }),
    )
    .delete(
      '/',
      async ({ caller, params }) => {
        await cancelBackfill(deps, caller.organizationId, params.id)
        return { message: 'Backfill cancelled' }
      },
      operation('cancelBackfill', 'Cancel a backfill', {
        description: 'For members. What has been filled in stays; `POST` starts again from the beginning.',
        params,
        200: Message,
        409: 'The backfill is over',
      }),
    )

function presentBackfill(row: BackfillRow) {
  const { slo_id, revision, status, chunks, chunks_done, buckets, error, created_at, updated_at } = row
  const progress = status === 'done' ? 1 : chunks_done / Math.max(1, chunks)
  const times = { created_at: isoTime(created_at), updated_at: isoTime(updated_at) }
  return { slo_id, revision, status, progress, chunks, chunks_done, slices: buckets, error, ...times }
}

/** Starts a backfill from the beginning; one that waits or runs continues unchanged. */
async function restartBackfill(
  { db, clock }: Omit<Deps, 'guard'>,
  organizationId: number,
  sloId: number,
): Promise<BackfillRow> {
  return db.write.transaction().execute(async (trx) => {
    const slo = await getActiveSlo(trx, organizationId, sloId)
    if (slo.composite !== null)
      throw invalid('id', 'must be an SLO with a query: a composite has the past of its members')
    const current = await findBackfill(trx, organizationId, sloId)
    if (current && isToDo(current)) return current
    await startBackfill(trx, slo, clock.now())
    return getBackfill(trx, organizationId, sloId)
  })
}

/** Cancels a backfill; what it measured stays. Throws `conflict` if it has ended. */
async function cancelBackfill(
  { db, clock }: Omit<Deps, 'guard'>,
  organizationId: number,
  sloId: number,
): Promise<void> {
  await db.write.transaction().execute(async (trx) => {
    const { revision, status } = await getBackfill(trx, organizationId, sloId)
    const cancelled = await updateBackfill(trx, sloId, revision, { status: 'cancelled', updated_at: clock.now() })
    if (!cancelled) throw new AppError('conflict', 'Backfill is over', { details: `status: ${status}` })
  })
}
