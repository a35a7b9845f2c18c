import type { Db } from '../db/open.ts'

/** Use of the machine by an organization. Bytes of cached results are of JSON text, before compression. */
export type OrganizationUse = {
  id: number
  name: string
  samplesBytes: number
  series: number
  slos: number
  cacheBytes: number
  cacheMemoryBytes: number
}

/** Counters that are kept at every change, so that reading them costs nothing per sample or result. */
export type UseDeps = {
  db: { read: Db }
  samples: {
    whenFilled(): Promise<void>
    usedByAll(): ReadonlyMap<number, { series: number; bytes: number }>
  }
  cache: { bytesByOrganization(): Promise<ReadonlyMap<number, { bytes: number; memoryBytes: number }>> }
}

/**
 * Reads the use of the organizations that use most, at most `max`, and the number of all. They are ordered by bytes, then by
 * series, then by age. SLOs are counted for those alone.
 */
export async function readOrganizationUse({ db, samples, cache }: UseDeps, max: number) {
  await samples.whenFilled()
  const [sampleUse, cached] = [samples.usedByAll(), await cache.bytesByOrganization()]
  const organizations = await db.read.selectFrom('organizations').select(['id', 'name']).execute()
  const largest = organizations
    .map(({ id, name }) => {
      const { bytes: samplesBytes = 0, series = 0 } = sampleUse.get(id) ?? {}
      const { bytes: cacheBytes = 0, memoryBytes: cacheMemoryBytes = 0 } = cached.get(id) ?? {}
      return { id, name, samplesBytes, series, cacheBytes, cacheMemoryBytes }
    })
    .toSorted(
      (one, other) =>
        other.samplesBytes + other.cacheBytes - one.samplesBytes - one.cacheBytes ||
        other.series - one.series ||
        one.id - other.id,
    )
    .slice(0, max)
  const slos = await countSlos(
    db.read,
    largest.map(({ id }) => id),
  )
  const use = largest.map((one): OrganizationUse => ({ ...one, slos: slos.get(one.id) ?? 0 }))
  return { count: organizations.length, use }
}

/** Number of SLOs of each organization that has any, without deleted ones. */
async function countSlos(db: Db, organizationIds: number[]): Promise<Map<number, number>> {
  const rows = await db
    .selectFrom('slos')
    .select(({ fn }) => ['organization_id', fn.countAll<number>().as('count')])
    .where('organization_id', 'in', organizationIds)
    .where('active', '=', 1)
    .groupBy('organization_id')
    .execute()
  return new Map(rows.map(({ organization_id, count }) => [organization_id, count]))
}
