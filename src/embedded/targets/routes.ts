import { Elysia, t } from 'elysia'
import type { Clock } from '../../clock.ts'
import type { Database } from '../../db/open.ts'
import type { Seal } from '../../db/sealing/seal.ts'
import type { ScrapeTargetRow } from '../../db/tables/tables.ts'
import { operation } from '../../http/openapi/operation.ts'
import { Id, Message } from '../../http/schemas.ts'
import { type GuardDeps, readJsonOrNothing, signedIn } from '../../http/signed-in.ts'
import { presentTrial, Trial } from '../collection/fields-model.ts'
import type { Collector } from '../collection/collector.ts'
import { presentTarget, Target, TargetCreation, TargetUpdate } from './model.ts'
import { targetRows } from '../collection/collected-store.ts'
import { changedTarget, changeTarget, createTarget, removeTarget, unsavedTarget } from './targets.ts'
import type { ScrapeTarget } from '../collection/target.ts'

type Deps = {
  db: Database
  clock: Clock
  seal: Seal
  collector: Pick<Collector, 'healthOf' | 'reload' | 'runOnce'>
  internalTargets: ReadonlyMap<string, unknown>
  /** True for the instance's first organization. */
  isFirst: (organizationId: number) => Promise<boolean>
  guard: GuardDeps
}

const params = t.Object({ id: Id('target') })
const TargetList = t.Object({ targets: t.Array(Target), total: t.Number() })
const conflict = { 409: 'The name is in use, or there are too many targets' }

/**
 * `/embedded/targets`: read by everybody, changed by administrators only, because nines scrapes from within its own network.
 */
export const targetRoutes = ({ guard, ...deps }: Deps) => {
  const { db, seal, collector } = deps
  const present = (row: ScrapeTargetRow) => presentTarget(seal, row, collector.healthOf('target', row.id))
  const tryOut = async (definition: ScrapeTarget) =>
    presentTrial('target', await collector.runOnce({ kind: 'target', definition }))

  return new Elysia({ prefix: '/embedded/targets', tags: ['Targets and probes'] })
    .use(signedIn({ ...guard, writes: 'admin', readBody: readJsonOrNothing }))
    .post(
      '/test',
      async ({ caller, body }) => tryOut(await unsavedTarget(deps, caller.organizationId, body)),
      operation('tryTarget', 'Scrape a target that is not stored, and keep nothing', {
        description:
          'For administrators. Takes the body that would create the target, scrapes it once and answers with its ' +
          'first samples. A scrape that fails is `ok: false` with the reason, not an error.',
        body: TargetCreation,
        200: Trial,
      }),
    )
    .post(
      '/:id/test',
      async ({ caller, params, body }) => tryOut(await changedTarget(deps, caller.organizationId, params.id, body)),
      operation('testTarget', 'Scrape a target now, with these changes of it, and keep nothing', {
        description:
          'For administrators. Without a body it is scraped as it is stored. Secrets do not follow `url` to ' +
          'another origin (scheme, host and port): they have to be in the body then.',
        params,
        body: TargetUpdate,
        200: Trial,
      }),
    )
    .get(
      '/',
      async ({ caller }) => {
        const rows = await targetRows.list(db.read, caller.organizationId)
        return { targets: rows.map(present), total: rows.length }
      },
      operation('listTargets', 'List what is scraped, and how that goes', {
        description: 'All of them in one answer, each with its last 20 runs and when the next is.',
        200: TargetList,
      }),
    )
    .get(
      '/:id',
      async ({ caller, params }) => present(await targetRows.get(db.read, caller.organizationId, params.id)),
      operation('getTarget', 'One target; credentials are masked', {
        description: 'With `health`: how the last scrape went, the 20 before it, and when the next is.',
        params,
        200: Target,
      }),
    )
    .post(
      '/',
      async ({ caller, body, set }) => {
        const row = await createTarget(deps, caller, body)
        await collector.reload(caller.organizationId)
        set.status = 201
        return present(row)
      },
      operation('createTarget', 'Scrape a target', {
        description:
          'For administrators. It is scraped every `interval_seconds`, 30 where it is absent, from now on. `job` ' +
          'is its name, `instance` its host and port; `labels` are added to each series.',
        body: TargetCreation,
        201: Target,
        ...conflict,
      }),
    )
    .put(
      '/:id',
      async ({ caller, params, body }) => {
        const row = await changeTarget(deps, caller, params.id, body)
        await collector.reload(caller.organizationId)
        return present(row)
      },
      operation('updateTarget', 'Change a target; fields that are not sent, and masked secrets, stay', {
        description:
          'For administrators. A mask that is sent back leaves the stored secret, unless `url` has another origin ' +
          '(scheme, host and port): then secrets have to be sent again. Counts from the next scrape on.',
        params,
        body: TargetUpdate,
        200: Target,
        ...conflict,
      }),
    )
    .delete(
      '/:id',
      async ({ caller, params }) => {
        await removeTarget(deps, caller, params.id)
        await collector.reload(caller.organizationId)
        return { message: 'Target deleted' }
      },
      operation('deleteTarget', 'Delete a target; its samples stay', {
        description: 'For administrators. Its series end; what was scraped is kept for SAMPLES_RETENTION_DAYS.',
        params,
        200: Message,
      }),
    )
}
