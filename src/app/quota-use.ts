import type { Cache } from '../cache/cache.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Database } from '../db/open.ts'
import type { SampleStore } from '../embedded/store/sample-store.ts'
import type { QuotaUse } from '../quotas.ts'

type Deps = {
  config: Pick<Config, 'quotas'>
  clock: Clock
  db: Pick<Database, 'quotas'>
  samples: Pick<SampleStore, 'whenFilled' | 'usedBy' | 'maxUsed'>
  cache: Pick<Cache, 'bytesOf' | 'maxBytes'>
}

/** Creates the reader of quota use, which collects from all stores. */
export function createQuotaUse({ config, clock, db, samples, cache }: Deps): QuotaUse {
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
