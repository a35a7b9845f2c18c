import type { CooperativeTask } from '../../concurrency/cooperative.ts'
import { quotaExceeded } from '../../quotas.ts'
import type { Label } from '../exposition/sample.ts'
import { type LabelLimits, seriesKey, labelsOfPairs, pairsOfKey } from './labels.ts'
import { SeriesList } from './series-list.ts'
import type { StoredSeries } from './series.ts'

/** Postings: series with the same value of a label. Many values have a single series, which needs no list. */
export type Postings = StoredSeries | SeriesList

export const postingsCount = (postings: Postings) => (postings instanceof SeriesList ? postings.size : 1)
export const eachPosting = (postings: Postings): Iterable<StoredSeries> =>
  postings instanceof SeriesList ? postings : [postings]

/**
 * Series of one organization, by key, and by label name and value. `reserved`: number of series that a declaration is about to
 * create.
 */
type TenantIndex = { byKey: Map<string, StoredSeries>; byLabel: Map<string, Map<string, Postings>>; reserved: number }

/** List of series to create together, all or none; those that exist already are only looked up. */
export type SeriesDeclaration = {
  /** Declares the series of these labels. Throws like `ensure`. */
  add(labels: readonly Label[], target: DeclaredSeries): void
  /** Creates the missing series, and sets `ref` and `key` of each target. If that exceeds the quota, throws and creates none. */
  creating(): CooperativeTask<void>
}

/** Object that receives a declared series and its key. */
type DeclaredSeries = { ref: StoredSeries | undefined; key: string }

/** Index of all series, in memory. */
export type SeriesIndex = {
  byId(id: number): StoredSeries | undefined
  /** Series of these labels, created if missing. Throws `invalid` beyond the limits, and `conflict` beyond the quota. */
  ensure(organizationId: number, labels: readonly Label[]): StoredSeries
  declare(organizationId: number): SeriesDeclaration
  /** Adds a series that exists in the file. `key`: of `seriesKey`. */
  add(id: number, organizationId: number, key: string): StoredSeries
  /** Removes a series and sets `isRemoved`. */
  remove(series: StoredSeries): void
  /** At most `max` series with ids above `id`, sorted by id. */
  createdAfter(id: number, max: number): StoredSeries[]
  all(organizationId: number): Iterable<StoredSeries>
  labelNames(organizationId: number): Iterable<string>
  /** Series that have a label, by its value. */
  byValue(organizationId: number, name: string): ReadonlyMap<string, Postings>
  /** Number of series by organization. */
  counts(): Map<number, number>
}

const noPostings: ReadonlyMap<string, Postings> = new Map()
const seriesPerYield = 50

/** `lastTakenId`: highest id that was ever used; new series get ids above it. */
export function createSeriesIndex(limits: LabelLimits, lastTakenId: number): SeriesIndex {
  const tenantIndexes = new Map<number, TenantIndex>()
  const all = new SeriesList()
  let lastId = lastTakenId
  const byLabelsObject = new WeakMap<readonly Label[], StoredSeries>() // saves computing the key of the same object again

  function tenantIndexOf(organizationId: number): TenantIndex {
    let tenant = tenantIndexes.get(organizationId)
    if (!tenant) tenantIndexes.set(organizationId, (tenant = { byKey: new Map(), byLabel: new Map(), reserved: 0 }))
    return tenant
  }

  function add(id: number, organizationId: number, key: string): StoredSeries {
    const { byKey, byLabel } = tenantIndexOf(organizationId)
    const series: StoredSeries = {
      id,
      organizationId,
      key,
      labels: {},
      head: undefined,
      barrier: undefined,
      isRemoved: false,
    }
    const labels: Label[] = []
    for (const [name, value] of pairsOfKey(key)) {
      let byValue = byLabel.get(name)
      if (!byValue) byLabel.set(name, (byValue = new Map()))
      const postings = byValue.get(value)
      labels.push([name, sharedValue(postings, name) ?? value])
      if (postings instanceof SeriesList) postings.add(series)
      else byValue.set(value, postings ? new SeriesList(postings, series) : series)
    }
    series.labels = labelsOfPairs(labels)
    byKey.set(key, series)
    all.add(series)
    return series
  }

  function assertRoom({ byKey, reserved }: TenantIndex, added: number): void {
    if (added > 0 && byKey.size + reserved + added > limits.seriesPerOrganization) {
      throw quotaExceeded('series', limits.seriesPerOrganization)
    }
  }

  function findOrCreate(organizationId: number, key: string): StoredSeries {
    const existing = tenantIndexOf(organizationId).byKey.get(key)
    if (existing) return existing
    lastId += 1
    return add(lastId, organizationId, key)
  }

  return {
    byId: (id) => all.find(id),
    add,
    ensure(organizationId, labels) {
      const known = byLabelsObject.get(labels)
      if (known && !known.isRemoved && known.organizationId === organizationId) return known
      const key = seriesKey(labels, limits)
      const tenant = tenantIndexOf(organizationId)
      if (!tenant.byKey.has(key)) assertRoom(tenant, 1)
      const series = findOrCreate(organizationId, key)
      byLabelsObject.set(labels, series)
      return series
    },
    declare(organizationId) {
      const tenant = tenantIndexOf(organizationId)
      const declared: { key: string; target: DeclaredSeries }[] = []
      const missingKeys = new Set<string>()
      return {
        add(labels, target) {
          const key = seriesKey(labels, limits)
          declared.push({ key, target })
          if (tenant.byKey.has(key)) return
          missingKeys.add(key)
          assertRoom(tenant, missingKeys.size)
        },
        *creating() {
          assertRoom(tenant, missingKeys.size)
          tenant.reserved += missingKeys.size
          try {
            for (const [index, { key, target }] of declared.entries()) {
              const series = findOrCreate(organizationId, key)
              target.ref = series
              target.key = series.key // so that the text is in memory once
              if (missingKeys.delete(key)) tenant.reserved -= 1
              if (index % seriesPerYield === 0) yield
            }
          } finally {
            tenant.reserved -= missingKeys.size
          }
        },
      }
    },
    remove(series) {
      const { byKey, byLabel } = tenantIndexOf(series.organizationId)
      series.isRemoved = true
      all.noteRemoval()
      byKey.delete(series.key)
      for (const [name, value] of Object.entries(series.labels)) {
        const byValue = byLabel.get(name)
        const postings = byValue?.get(value)
        if (postings instanceof SeriesList) postings.noteRemoval()
        if (postings === series || (postings instanceof SeriesList && postings.size === 0)) byValue?.delete(value)
        if (byValue?.size === 0) byLabel.delete(name)
      }
    },
    createdAfter: (id, max) => all.after(id, max),
    counts: () => new Map([...tenantIndexes].map(([organizationId, { byKey }]) => [organizationId, byKey.size])),
    all: (organizationId) => tenantIndexes.get(organizationId)?.byKey.values() ?? [],
    labelNames: (organizationId) => tenantIndexes.get(organizationId)?.byLabel.keys() ?? [],
    byValue: (organizationId, name) => tenantIndexes.get(organizationId)?.byLabel.get(name) ?? noPostings,
  }
}

/** String of a label value that these series already hold, so that it is in memory once; undefined without series. */
function sharedValue(postings: Postings | undefined, name: string): string | undefined {
  const holder = postings instanceof SeriesList ? postings.any : postings
  return holder?.labels[name]
}
