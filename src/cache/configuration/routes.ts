import { Elysia } from 'elysia'
import type { Clock } from '../../clock.ts'
import { changedFields, recordAudit } from '../../db/audit.ts'
import { AppError, invalid } from '../../errors.ts'
import { operation } from '../../http/openapi/operation.ts'
import { type Caller, type GuardDeps, signedIn } from '../../http/signed-in.ts'
import { ConfigResponse, DoneResponse, presentConfig } from '../answers/model.ts'
import type { Cache } from '../cache.ts'
import { configOf, ConfigUpdate } from '../model.ts'

type Deps = {
  cache: Cache
  clock: Clock
  /** True for the instance's first organization, whose administrators set the limits of all. */
  isFirst: (organizationId: number) => Promise<boolean>
  guard: GuardDeps
}

/** Routes of `/cache/config`, which belongs to the instance. */
export const cacheConfigRoutes = ({ cache, clock, isFirst, guard }: Deps) =>
  new Elysia({ prefix: '/cache/config', tags: ['Cache'] })
    .use(signedIn({ ...guard, writes: 'admin', authorizeWrite: (caller) => assertFirst(caller, isFirst) }))
    .get(
      '/',
      async () => ({ success: true as const, data: presentConfig(await cache.config()) }),
      operation('getCacheConfig', 'The limits of the cache', {
        description: 'The limits are those of the instance, for all organizations. Times are in nanoseconds.',
        200: ConfigResponse,
      }),
    )
    .put(
      '/',
      async ({ caller, body }) => {
        const changes = configOf(body)
        if (Object.keys(changes).length === 0)
          throw invalid('body', 'must have at least one known field of the configuration')
        await cache.configure(changes, async (trx, before, after) => {
          const details = { changed: changedFields(presentConfig(before), presentConfig(after)) }
          if (details.changed.length === 0) return
          await recordAudit(trx, caller, { event: 'cache_config_changed', details }, clock.now())
        })
        return { success: true as const, message: 'Cache configuration updated' }
      },
      operation('updateCacheConfig', 'Change the limits; fields that are not sent stay', {
        description:
          'For administrators of the first organization: the limits hold for all. Times are in nanoseconds and are ' +
          'rounded up to milliseconds. Entries beyond the new limits are removed.',
        body: ConfigUpdate,
        200: DoneResponse,
      }),
    )

async function assertFirst({ organizationId }: Caller, isFirst: Deps['isFirst']): Promise<void> {
  if (await isFirst(organizationId)) return
  const details = 'must be an administrator of the first organization: the limits are those of the instance'
  throw new AppError('forbidden', 'Insufficient permissions', { details })
}
