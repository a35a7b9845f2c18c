import type { ProvisionOrganization } from '../auth/accounts/register.ts'
import { isFirstOrganization } from '../auth/organizations/store.ts'
import type { Cache } from '../cache/cache.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Database } from '../db/open.ts'
import type { Collector } from '../embedded/collection/collector.ts'
import type { SampleStore } from '../embedded/store/sample-store.ts'
import { insertFirstTarget } from '../embedded/targets/targets.ts'
import type { QuotaUse } from '../quotas.ts'
import { insertDefaultTeam } from '../slos/teams/store.ts'
import { embeddedUrl } from '../sources/embedded-source.ts'
import { insertFirstSource } from '../sources/sources.ts'

type ProvisionDeps = { config: Pick<Config, 'sourceUrl'>; collector: Pick<Collector, 'reloadAtNextTick'> }

/**
 * Creates the function that gives a new organization its default team and the source of `SOURCE_URL`. If that is the embedded
 * source, the first organization also gets nines itself as a scrape target.
 */
export function createOrganizationProvisioner({
  config: { sourceUrl },
  collector,
}: ProvisionDeps): ProvisionOrganization {
  return async (trx, organizationId, nowMs) => {
    await insertDefaultTeam(trx, organizationId, nowMs)
    if (sourceUrl) await insertFirstSource(trx, organizationId, sourceUrl, nowMs)
    if (sourceUrl !== embeddedUrl || !(await isFirstOrganization(trx, organizationId))) return
    await insertFirstTarget(trx, organizationId, nowMs)
    collector.reloadAtNextTick(organizationId)
  }
}

type QuotaDeps = {
  config: Pick<Config, 'quotas'>
  clock: Clock
  db: Pick<Database, 'quotas'>
  samples: Pick<SampleStore, 'whenFilled' | 'usedBy' | 'maxUsed'>
  cache: Pick<Cache, 'bytesOf' | 'maxBytes'>
}

/** Creates the reader of quota use: rows of the database, series and bytes of samples, and bytes of cached results. */
export function createQuotaUse({ config, clock, db, samples, cache }: QuotaDeps): QuotaUse {
  return {
    limits: config.quotas,
    async usedBy(organizationId) {
      await samples.whenFilled()
      const { series, bytes } = samples.usedBy(organizationId)
      const rows = await db.quotas.usedBy(organizationId, clock.now())
      return { ...rows, series, samples_bytes: bytes, cache_bytes: await cache.bytesOf(organizationId) }
    },
    async maxUsed() {
      await samples.whenFilled()
      const { series, bytes } = samples.maxUsed()
      const rows = await db.quotas.maxUsed(clock.now())
      return { ...rows, series, samples_bytes: bytes, cache_bytes: await cache.maxBytes() }
    },
  }
}
