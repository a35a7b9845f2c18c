import { t } from 'elysia'
import type { Clock } from '../../clock.ts'
import type { Seal } from '../../db/sealing/seal.ts'
import type { ScrapeTargetRow } from '../../db/tables/tables.ts'
import { operation } from '../../http/openapi/operation.ts'
import { Message } from '../../http/schemas.ts'
import { type CollectedDeps, collectedRoutes, paramsOf } from '../collection/collected-routes.ts'
import { targetRows } from '../collection/collected-store.ts'
import { Trial } from '../collection/fields-model.ts'
import { presentTarget, Target, TargetCreation, TargetUpdate } from './model.ts'
import { changedTarget, changeTarget, createTarget, removeTarget, unsavedTarget } from './targets.ts'

type Deps = CollectedDeps & {
  clock: Clock
  seal: Seal
  internalTargets: ReadonlyMap<string, unknown>
  /** True for the instance's first organization. */
  isFirst: (organizationId: number) => Promise<boolean>
}

const params = paramsOf('target')
const TargetList = t.Object({ targets: t.Array(Target), total: t.Number() })
const conflict = { 409: 'The name is in use, or there are too many targets' }

const operations = {
  try: operation('tryTarget', 'Scrape a target that is not stored, and keep nothing', {
    description:
      'For administrators. Takes the body that would create the target, scrapes it once and answers with its ' +
      'first samples. A scrape that fails is `ok: false` with the reason, not an error.',
    body: TargetCreation,
    200: Trial,
  }),
  test: operation('testTarget', 'Scrape a target now, with these changes of it, and keep nothing', {
    description:
      'For administrators. Without a body it is scraped as it is stored. Secrets do not follow `url` to ' +
      'another origin (scheme, host and port): they have to be in the body then.',
    params,
    body: TargetUpdate,
    200: Trial,
  }),
  list: operation('listTargets', 'List what is scraped, and how that goes', {
    description: 'All of them in one answer, each with its last 20 runs and when the next is.',
    200: TargetList,
  }),
  get: operation('getTarget', 'One target; credentials are masked', {
    description: 'With `health`: how the last scrape went, the 20 before it, and when the next is.',
    params,
    200: Target,
  }),
  create: operation('createTarget', 'Scrape a target', {
    description:
      'For administrators. It is scraped every `interval_seconds`, by default 30, from now on. `job` ' +
      'is its name, `instance` its host and port; `labels` are added to each series.',
    body: TargetCreation,
    201: Target,
    ...conflict,
  }),
  update: operation('updateTarget', 'Change a target; fields that are not sent, and masked secrets, stay', {
    description:
      'For administrators. A mask that is sent back leaves the stored secret, unless `url` has another origin ' +
      '(scheme, host and port): then secrets have to be sent again. Counts from the next scrape on.',
    params,
    body: TargetUpdate,
    200: Target,
    ...conflict,
  }),
  remove: operation('deleteTarget', 'Delete a target; its samples stay', {
    description: 'For administrators. Its series end; what was scraped is kept for SAMPLES_RETENTION_DAYS.',
    params,
    200: Message,
  }),
}

/** Routes of `/embedded/targets`. */
export const targetRoutes = (deps: Deps) =>
  collectedRoutes<ScrapeTargetRow, TargetCreation, TargetUpdate>(
    deps,
    {
      kind: 'target',
      rows: targetRows,
      present: (row, health) => presentTarget(deps.seal, row, health),
      unsavedItem: (organizationId, creation) => unsavedTarget(deps, organizationId, creation),
      changedItem: (organizationId, id, update) => changedTarget(deps, organizationId, id, update),
      create: (caller, creation) => createTarget(deps, caller, creation),
      change: (caller, id, update) => changeTarget(deps, caller, id, update),
      remove: (caller, id) => removeTarget(deps, caller, id),
    },
    operations,
  )
