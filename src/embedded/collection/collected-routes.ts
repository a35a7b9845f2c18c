import { Elysia, t, type TSchema } from 'elysia'
import type { Database, Db } from '../../db/open.ts'
import type { ProbeRow, ScrapeTargetRow } from '../../db/tables/tables.ts'
import type { detailOf } from '../../http/openapi/operation.ts'
import { Id } from '../../http/schemas.ts'
import { type Caller, type GuardDeps, readJsonOrNothing, signedIn } from '../../http/signed-in.ts'
import type { Collector } from './collector.ts'
import { presentTrial } from './fields-model.ts'
import { type Health, isLack, type Item } from './item.ts'
import type { Scraped } from './series/target-series.ts'

/** Dependencies of the routes of targets and of probes. */
export type CollectedDeps = {
  db: Database
  collector: Pick<Collector, 'healthOf' | 'reload' | 'runOnce'>
  guard: GuardDeps
}

/** Schemas and texts of the routes, in their order. */
type Operations = Record<'try' | 'list' | 'create', Operation> &
  Record<'test' | 'get' | 'update' | 'remove', Operation & { params: ReturnType<typeof paramsOf> }>
type Operation = { body?: TSchema; response: Record<number, TSchema>; detail: ReturnType<typeof detailOf> }

/** Path parameters with the id of a target or probe. */
export const paramsOf = (kind: Item['kind']) => t.Object({ id: Id(kind) })

/** Targets or probes: how they are read, tried, stored and presented. Bodies have passed the schemas of the operations. */
type Collected<Row, Creation, Update> = {
  kind: Item['kind']
  rows: {
    list(db: Db, organizationId: number): Promise<Row[]>
    get(db: Db, organizationId: number, id: number): Promise<Row>
  }
  present(row: Row, health: Health): object
  /** Item that a creation would store. */
  unsavedItem(organizationId: number, creation: Creation): Promise<Item> | Item
  /** Stored item with the changes of an update. */
  changedItem(organizationId: number, id: number, update: Update): Promise<Item>
  create(caller: Caller, creation: Creation): Promise<Row>
  change(caller: Caller, id: number, update: Update): Promise<Row>
  remove(caller: Caller, id: number): Promise<void>
}

/** Outcome of a trial for which nines lacks memory or descriptors; rethrows other errors. */
function withoutRun(error: unknown): Scraped {
  if (!isLack(error)) throw error
  return { ok: false, error: error.message, durationMs: 0, samples: [] }
}

/**
 * Routes of `/embedded/targets` or `/embedded/probes`: read by everybody, changed by administrators only, because nines connects
 * from within its own network.
 */
export function collectedRoutes<Row extends ScrapeTargetRow | ProbeRow, Creation, Update>(
  { db, collector, guard }: CollectedDeps,
  { kind, rows, ...collected }: Collected<Row, Creation, Update>,
  operations: Operations,
) {
  const plural = `${kind}s`
  const label = { target: 'Target', probe: 'Probe' }[kind]
  const present = (row: Row) => collected.present(row, collector.healthOf(kind, row.id))
  const tryOut = async (item: Item) => presentTrial(kind, await collector.runOnce(item).catch(withoutRun))
  async function withReload<T>(caller: Caller, changing: Promise<T>): Promise<T> {
    const result = await changing
    await collector.reload(caller.organizationId)
    return result
  }

  return new Elysia({ prefix: `/embedded/${plural}`, tags: ['Targets and probes'] })
    .use(signedIn({ ...guard, writes: 'admin', readBody: readJsonOrNothing }))
    .post(
      '/test',
      async ({ caller, body }) => tryOut(await collected.unsavedItem(caller.organizationId, body as Creation)),
      operations.try,
    )
    .post(
      '/:id/test',
      async ({ caller, params, body }) =>
        tryOut(await collected.changedItem(caller.organizationId, params.id, body as Update)),
      operations.test,
    )
    .get(
      '/',
      async ({ caller }) => {
        const listed = await rows.list(db.read, caller.organizationId)
        return { [plural]: listed.map(present), total: listed.length }
      },
      operations.list,
    )
    .get(
      '/:id',
      async ({ caller, params }) => present(await rows.get(db.read, caller.organizationId, params.id)),
      operations.get,
    )
    .post(
      '/',
      async ({ caller, body, set }) => {
        const row = await withReload(caller, collected.create(caller, body as Creation))
        set.status = 201
        return present(row)
      },
      operations.create,
    )
    .put(
      '/:id',
      async ({ caller, params, body }) =>
        present(await withReload(caller, collected.change(caller, params.id, body as Update))),
      operations.update,
    )
    .delete(
      '/:id',
      async ({ caller, params }) => {
        await withReload(caller, collected.remove(caller, params.id))
        return { message: `${label} deleted` }
      },
      operations.remove,
    )
}
