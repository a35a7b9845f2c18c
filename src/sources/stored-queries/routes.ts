import { Elysia, t } from 'elysia'
import type { Clock } from '../../clock.ts'
import { boundedByBytes, inChunks } from '../../concurrency/chunks.ts'
import type { Database, Db } from '../../db/open.ts'
import { maxUnstreamedCharacters } from '../../http/bodies/streamed-responses.ts'
import { operation } from '../../http/openapi/operation.ts'
import { forceDescription } from '../../http/openapi/texts.ts'
import { Id, Message } from '../../http/schemas.ts'
import { type GuardDeps, signedIn } from '../../http/signed-in.ts'
import type { AssertReadable } from '../assert-readable.ts'
import type { ExecutionLog } from '../execution-log.ts'
import { listExecutionsOfQuery } from '../store.ts'
import { presentExecution } from '../model.ts'
import { changeSourceQuery, createSourceQuery, removeSourceQuery } from './stored-queries.ts'
import {
  ExecutionList,
  ExecutionListQuery,
  presentSourceQuery,
  SourceQuery,
  SourceQueryCreation,
  SourceQueryList,
  SourceQueryListQuery,
  SourceQueryUpdate,
} from './model.ts'
import { getSourceQuery, listSourceQueries, listSourceQueryIds, listSourceQuerySizes } from './store.ts'

type Deps = {
  db: Database
  clock: Clock
  guard: GuardDeps
  assertReadable: AssertReadable
  executions: Pick<ExecutionLog, 'flush'>
}

const charactersPerQuery = 400 // in its JSON, beside its texts
const idsPerStatement = 500
const params = t.Object({ id: Id('query') })

/** Routes of `/tsdb/queries`: queries that run periodically for an SLO, and their executions, newest first. */
export const sourceQueryRoutes = ({ guard, db, clock, assertReadable, executions }: Deps) =>
  new Elysia({ prefix: '/tsdb/queries', tags: ['Source queries'] })
    .use(signedIn({ ...guard, writes: 'member' }))
    .get(
      '/',
      async ({ caller, query }) => {
        const { organizationId } = caller
        const ids = await listSourceQueryIds(db.read, organizationId, query.slo_id)
        if (await isShort(db.read, ids)) {
          return { queries: (await listSourceQueries(db.read, ids)).map(presentSourceQuery), total: ids.length }
        }
        const response = await guard.streamedResponses(organizationId, writeSourceQueries(db.read, ids))
        return response as unknown as typeof SourceQueryList.static // a Response bypasses the schema
      },
      operation('listSourceQueries', 'List queries', {
        description: 'All of them in one answer, or those of `slo_id`.',
        query: SourceQueryListQuery,
        200: SourceQueryList,
      }),
    )
    .get(
      '/:id',
      async ({ caller, params }) => presentSourceQuery(await getSourceQuery(db.read, caller.organizationId, params.id)),
      operation('getSourceQuery', 'One query, with its last value', {
        description:
          '`last_value` is the mean over the series of the newest execution with a number; `source_id` null is the ' +
          'source of the SLO.',
        params,
        200: SourceQuery,
      }),
    )
    .get(
      '/:id/executions',
      async ({ caller, params, query }) => {
        const { id, organization_id } = await getSourceQuery(db.read, caller.organizationId, params.id)
        await executions.flush()
        const { rows, total } = await listExecutionsOfQuery(db.read, organization_id, id, query.limit ?? 100)
        return { executions: rows.map(presentExecution), total }
      },
      operation('listExecutions', 'List the executions of a query, newest first', {
        description:
          'Failed ones too, with the error of the source. At most `limit`, by default 100; `total` counts ' +
          'all that are kept. After two days one success and one failure an hour are kept.',
        params,
        query: ExecutionListQuery,
        200: ExecutionList,
      }),
    )
    .post(
      '/',
      async ({ caller, body, set }) => {
        set.status = 201
        await executions.flush() // stores earlier executions first, which do not belong to this query
        return presentSourceQuery(await createSourceQuery({ db, clock, assertReadable }, caller, body))
      },
      operation('createSourceQuery', 'Create a query', {
        body: SourceQueryCreation,
        201: SourceQuery,
        description: `For members. It runs every \`evaluation_interval_seconds\` from now on, and its executions are kept. ${forceDescription}`,
        404: 'There is no such SLO',
      }),
    )
    .put(
      '/:id',
      async ({ caller, params, body }) => {
        await executions.flush()
        return presentSourceQuery(await changeSourceQuery({ db, clock, assertReadable }, caller, params.id, body))
      },
      operation('updateSourceQuery', 'Change a query; fields that are not sent stay', {
        params,
        body: SourceQueryUpdate,
        200: SourceQuery,
        description: `For members. Its SLO cannot be changed. ${forceDescription}`,
      }),
    )
    .delete(
      '/:id',
      async ({ caller, params }) => {
        await executions.flush()
        await removeSourceQuery({ db, clock }, caller, params.id)
        return { message: 'Query deleted' }
      },
      operation('deleteSourceQuery', 'Delete a query', {
        description: 'For members. Its executions are deleted with it.',
        params,
        200: Message,
      }),
    )

const fields = Object.keys(SourceQuery.properties) as (keyof typeof SourceQuery.properties)[]

async function isShort(db: Db, ids: number[]): Promise<boolean> {
  if (ids.length * charactersPerQuery > maxUnstreamedCharacters) return false
  const sizes = await listSourceQuerySizes(db, ids)
  return sizes.reduce((sum, { bytes }) => sum + bytes + charactersPerQuery, 0) <= maxUnstreamedCharacters
}

/** Writes the list of these queries as pieces of JSON; rows are read only when they are needed. */
async function* writeSourceQueries(db: Db, ids: number[]): AsyncGenerator<string> {
  yield '{"queries":['
  let total = 0
  for (const chunk of inChunks(ids, idsPerStatement)) {
    for (const batch of boundedByBytes(await listSourceQuerySizes(db, chunk), ({ bytes }) => bytes)) {
      const rows = await listSourceQueries(
        db,
        batch.map(({ id }) => id),
      )
      for (const row of rows) {
        yield `${total === 0 ? '' : ','}${JSON.stringify(presentSourceQuery(row), fields)}`
        total += 1
      }
    }
  }
  yield `],"total":${total}}`
}
