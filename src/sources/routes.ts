import { Elysia, t } from 'elysia'
import type { Clock } from '../clock.ts'
import type { Database } from '../db/open.ts'
import type { Seal } from '../db/sealing/seal.ts'
import { operation } from '../http/openapi/operation.ts'
import { deleteHandler } from '../http/delete-handler.ts'
import { Id, Message } from '../http/schemas.ts'
import { type GuardDeps, readJsonOrNothing, signedIn } from '../http/signed-in.ts'
import { DataSource, presentSource, SourceCreation, SourceTrial, SourceUpdate } from './model.ts'
import type { DataSourceRow } from '../db/tables/tables.ts'
import type { SourceAnswers } from './source-status.ts'
import type { SourceOpener } from './source.ts'
import { countSlosBySource, getSource, listSlosOfSource, listSources } from './store.ts'
import { tryChanged, tryUnsaved } from './try-source.ts'
import { changeSource, createSource, removeSource } from './sources.ts'

type Deps = {
  db: Database
  clock: Clock
  seal: Seal
  opener: SourceOpener
  sourceAnswers: Pick<SourceAnswers, 'of'>
  guard: GuardDeps
}

const params = t.Object({ id: Id('source') })
const SourceList = t.Object({ sources: t.Array(DataSource), total: t.Number() })

/** Routes of `/tsdb/sources`; every role reads, administrators change. Credentials are write-only. */
export const sourceRoutes = ({ guard, ...deps }: Deps) => {
  const presenter = async (organizationId: number) => {
    const sloCounts = await countSlosBySource(deps.db.read, organizationId)
    return (row: DataSourceRow) => presentSource(deps.seal, row, { answers: deps.sourceAnswers.of(row.id), sloCounts })
  }
  const present = async (row: DataSourceRow) => (await presenter(row.organization_id))(row)
  return new Elysia({ prefix: '/tsdb/sources', tags: ['Sources'] })
    .use(signedIn({ ...guard, writes: 'admin', readBody: readJsonOrNothing }))
    .post(
      '/test',
      ({ caller, body }) => tryUnsaved(deps, caller.organizationId, body),
      operation('trySource', 'Test a source before it is created', {
        description:
          'For administrators. Takes the same body as the creation. Queries the version and the scrape targets of the source, and stores nothing. ' +
          'For a source that does not answer, the response is 200 with `ok: false` and the reason.',
        body: SourceCreation,
        200: SourceTrial,
      }),
    )
    .post(
      '/:id/test',
      ({ caller, params, body }) => tryChanged(deps, caller.organizationId, params.id, body),
      operation('testSource', 'Test a source, with changes that are not stored', {
        description:
          'For administrators. Without a body, the stored source is tested. Nothing is stored. If `api_url` has another ' +
          'origin (scheme, host and port) than the stored one, the body must have the secrets: stored ones are not sent there.',
        params,
        body: SourceUpdate,
        200: SourceTrial,
      }),
    )
    .get(
      '/',
      async ({ caller }) => {
        const rows = await listSources(deps.db.read, caller.organizationId)
        return { sources: rows.map(await presenter(caller.organizationId)), total: rows.length }
      },
      operation('listSources', 'List sources', {
        description:
          'The answer is not paged. Credentials are masked; `health` has the result of the last request to each source.',
        200: SourceList,
      }),
    )
    .get(
      '/:id/slos',
      async ({ caller, params }) => {
        const source = await getSource(deps.db.read, caller.organizationId, params.id)
        return { slos: await listSlosOfSource(deps.db.read, source) }
      },
      {
        ...operation('listSourceSlos', 'List the SLOs that read a source, by its id or as the default', {
          description:
            'Active SLOs that name the source, and, if it is the default source, those without a `source_id`.',
          params,
          200: SlosOfSource,
        }),
        beforeHandle: guard.answers.keep,
      },
    )
    .get(
      '/:id',
      async ({ caller, params }) => present(await getSource(deps.db.read, caller.organizationId, params.id)),
      operation('getSource', 'Get a source', {
        description: 'Credentials are masked; `health` has the result of the last request to it.',
        params,
        200: DataSource,
      }),
    )
    .post(
      '/',
      async ({ caller, body, set }) => {
        set.status = 201
        return present(await createSource(deps, caller, body))
      },
      operation('createSource', 'Create a source', {
        description:
          'For administrators. The first source is the default one; `is_default` makes another the default. The ' +
          'source is not contacted: `POST /tsdb/sources/test` does that.',
        body: SourceCreation,
        201: DataSource,
        409: 'The name is in use',
      }),
    )
    .put(
      '/:id',
      async ({ caller, params, body }) => present(await changeSource(deps, caller, params.id, body)),
      operation('updateSource', 'Change a source; fields that are not sent stay', {
        description:
          'For administrators. A mask that is sent back leaves the stored secret, unless `api_url` has another ' +
          'origin (scheme, host and port): then secrets have to be sent again. The default moves by making another ' +
          'source the default. The next evaluation uses the changed source.',
        params,
        body: SourceUpdate,
        200: DataSource,
        409: 'The name is in use',
      }),
    )
    .delete(
      '/:id',
      deleteHandler(deps, removeSource, { message: 'Source deleted' }),
      operation('deleteSource', 'Delete a source', {
        description: 'For administrators. If it was the default, the oldest of the others becomes the default.',
        params,
        200: Message,
        409: 'SLOs or queries use the source',
      }),
    )
}

const SlosOfSource = t.Object({ slos: t.Array(t.Object({ id: t.Number(), name: t.String() })) })
