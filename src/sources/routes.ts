import { Elysia, t } from 'elysia'
import type { Clock } from '../clock.ts'
import type { Database } from '../db/open.ts'
import type { Seal } from '../db/sealing/seal.ts'
import { operation } from '../http/openapi/operation.ts'
import { Id, Message } from '../http/schemas.ts'
import { type GuardDeps, signedIn } from '../http/signed-in.ts'
import { DataSource, presentSource, SourceCreation, SourceUpdate } from './model.ts'
import { getSource, listSources } from './store.ts'
import { changeSource, createSource, removeSource } from './sources.ts'

type Deps = { db: Database; clock: Clock; seal: Seal; guard: GuardDeps }

const params = t.Object({ id: Id('source') })

/** `/tsdb/sources`: read by everybody, changed by administrators. Credentials are write-only. */
export const sourceRoutes = ({ guard, ...deps }: Deps) =>
  new Elysia({ prefix: '/tsdb/sources', tags: ['Sources'] })
    .use(signedIn({ ...guard, writes: 'admin' }))
    .get(
      '/',
      async ({ caller }) => {
        const rows = await listSources(deps.db.read, caller.organizationId)
        return { sources: rows.map((row) => presentSource(deps.seal, row)), total: rows.length }
      },
      operation('listSources', 'List sources', { 200: t.Object({ sources: t.Array(DataSource), total: t.Number() }) }),
    )
    .get(
      '/:id',
      async ({ caller, params }) =>
        presentSource(deps.seal, await getSource(deps.db.read, caller.organizationId, params.id)),
      operation('getSource', 'One source', { params, 200: DataSource }),
    )
    .post(
      '/',
      async ({ caller, body, set }) => {
        set.status = 201
        return presentSource(deps.seal, await createSource(deps, caller, body))
      },
      operation('createSource', 'Create a source', {
        body: SourceCreation,
        201: DataSource,
        409: 'The name is in use',
      }),
    )
    .put(
      '/:id',
      async ({ caller, params, body }) => presentSource(deps.seal, await changeSource(deps, caller, params.id, body)),
      operation('updateSource', 'Change a source; fields that are not sent stay', {
        params,
        body: SourceUpdate,
        200: DataSource,
        409: 'The name is in use',
      }),
    )
    .delete(
      '/:id',
      async ({ caller, params }) => {
        await removeSource(deps, caller, params.id)
        return { message: 'Source deleted' }
      },
      operation('deleteSource', 'Delete a source', { params, 200: Message, 409: 'SLOs or queries use the source' }),
    )
