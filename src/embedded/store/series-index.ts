import type { CooperativeTask } from '../../concurrency/cooperative.ts'
import { quotaExceeded } from '../../quotas.ts'
import type { Label } from '../exposition/sample.ts'
import { fitsAll, type Matcher } from '../../promql/matchers.ts'
import { type LabelLimits, labelsKey, labelsOfPairs, pairsOfKey } from './labels.ts'
import { SeriesList } from './series-list.ts'
import type { Series } from './series.ts'

/** Postings: series with the same value of a label. Many values have a single series, which needs no list. */
export type Postings = Series | SeriesList

export const postingsCount = (same: Postings) => (same instanceof SeriesList ? same.size : 1)
export const eachPosting = (same: Postings): Iterable<Series> => (same instanceof SeriesList ? same : [same])

/** Tenant index: series of one organization, by key and by each label. `reserved`: number of series about to be created. */
type TenantIndex = { byKey: Map<string, Series>; byLabel: Map<string, Map<string, Postings>>; reserved: number }

/**
 * Series that are about to be created, all or none. Both methods throw like `append` beyond the limits. `add`: declares one.
 * `making`: creates those that are missing, and sets `place` and `key` of each `requested`.
 */
export type Declaration = {
  add(labels: readonly Label[], requested: { place: Series | undefined; key: string }): void
  making(): CooperativeTask<void>
}

/** Index of all series, in memory. */
export type SeriesIndex = {
  byId(id: number): Series | undefined
  /** Series of these labels, created if missing. Throws `invalid` beyond the limits, and `conflict` beyond the quota. */
  ensure(organizationId: number, labels: readonly Label[]): Series
  declare(organizationId: number): Declaration
  add(id: number, organizationId: number, key: string): Series
  remove(series: Series): void
  /** At most `max` series with ids above `id`, sorted by id. */
  madeAfter(id: number, max: number): Series[]
  all(organizationId: number): Iterable<Series>
  labelNames(organizationId: number): Iterable<string>
  /** Series that have a label, by its value. */
  byValue(organizationId: number, name: string): ReadonlyMap<string, Postings>
  /** Series that match every matcher, in order of creation. */
  match(organizationId: number, matchers: readonly Matcher[]): Series[]
  /** Number of series by organization. */
  counts(): Map<number, number>
}

const none: ReadonlyMap<string, Postings> = new Map()
const buildBatchSize = 50

/** `takenIds`: ids up to this one are not used for new series. */
export function createSeriesIndex(limits: LabelLimits, takenIds: number): SeriesIndex {
  const tenantIndexes = new Map<number, TenantIndex>()
  const all = new SeriesList()
  let lastId = takenIds
  const known = new WeakMap<readonly Label[], Series>() // saves computing the key for the same object

  function tenantIndexOf(organizationId: number): TenantIndex {
    let tenant = tenantIndexes.get(organizationId)
    if (!tenant) tenantIndexes.set(organizationId, (tenant = { byKey: new Map(), byLabel: new Map(), reserved: 0 }))
    return tenant
  }

  function add(id: number, organizationId: number, key: string): Series {
    const { byKey, byLabel } = tenantIndexOf(organizationId)
    const none = { head: undefined, barrier: undefined, removed: false }
    const series: Series = { id, organizationId, key, labels: {}, ...none }
    const labels: Label[] = []
    for (const [name, value] of pairsOfKey(key)) {
      let byValue = byLabel.get(name)
      if (!byValue) byLabel.set(name, (byValue = new Map()))
      const same = byValue.get(value)
      labels.push([name, textOf(same, name) ?? value])
      if (same instanceof SeriesList) same.add(series)
      else byValue.set(value, same ? new SeriesList(same, series) : series)
    }
    series.labels = labelsOfPairs(labels)
    byKey.set(key, series)
    all.add(series)
    return series
  }

  function assertRoom({ byKey, reserved }: TenantIndex, fresh: number): void {
    if (fresh > 0 && byKey.size + reserved + fresh > limits.seriesPerOrganization) {
      throw quotaExceeded('series', limits.seriesPerOrganization)
    }
  }

  function made(organizationId: number, key: string): Series {
    const before = tenantIndexOf(organizationId).byKey.get(key)
    if (before) return before
    lastId += 1
    return add(lastId, organizationId, key)
  }

  return {
    byId: (id) => all.find(id),
    add,
    ensure(organizationId, labels) {
      const before = known.get(labels)
      if (before && !before.removed && before.organizationId === organizationId) return before
      const key = labelsKey(labels, limits)
      const tenant = tenantIndexOf(organizationId)
      if (!tenant.byKey.has(key)) assertRoom(tenant, 1)
      const series = made(organizationId, key)
      known.set(labels, series)
      return series
    },
    declare(organizationId) {
      const tenant = tenantIndexOf(organizationId)
      const declared: { key: string; requested: { place: Series | undefined; key: string } }[] = []
      const fresh = new Set<string>()
      return {
        add(labels, requested) {
          const key = labelsKey(labels, limits)
          declared.push({ key, requested })
          if (tenant.byKey.has(key)) return
          fresh.add(key)
          assertRoom(tenant, fresh.size)
        },
        *making() {
          assertRoom(tenant, fresh.size)
          tenant.reserved += fresh.size
          try {
            for (const [index, { key, requested }] of declared.entries()) {
              const series = made(organizationId, key)
              requested.place = series
              requested.key = series.key // so that the text is in memory once
              if (fresh.delete(key)) tenant.reserved -= 1
              if (index % buildBatchSize === 0) yield
            }
          } finally {
            tenant.reserved -= fresh.size
          }
        },
      }
    },
    remove(series) {
      const { byKey, byLabel } = tenantIndexOf(series.organizationId)
      series.removed = true
      all.remove()
      byKey.delete(series.key)
      for (const [name, value] of Object.entries(series.labels)) {
        const byValue = byLabel.get(name)
        const same = byValue?.get(value)
        if (same instanceof SeriesList) same.remove()
        if (same === series || (same instanceof SeriesList && same.size === 0)) byValue?.delete(value)
        if (byValue?.size === 0) byLabel.delete(name)
      }
    },
    madeAfter: (id, max) => all.after(id, max),
    match(organizationId, matchers) {
      const tenant = tenantIndexes.get(organizationId)
      if (!tenant) return []
      const quick = matchers.map((one) => ({ ...one, fits: remembered(one.fits) }))
      const found: Series[] = []
      for (const series of candidates(tenant, matchers)) {
        if (fitsAll(quick, series.labels)) found.push(series)
      }
      return found.toSorted((a, b) => a.id - b.id)
    },
    counts: () => new Map([...tenantIndexes].map(([organizationId, { byKey }]) => [organizationId, byKey.size])),
    all: (organizationId) => tenantIndexes.get(organizationId)?.byKey.values() ?? [],
    labelNames: (organizationId) => tenantIndexes.get(organizationId)?.byLabel.keys() ?? [],
    byValue: (organizationId, name) => tenantIndexes.get(organizationId)?.byLabel.get(name) ?? none,
  }
}

/** Value of a label as these series have it, so that the text is in memory once. */
function textOf(same: Postings | undefined, name: string): string | undefined {
  const one = same instanceof SeriesList ? same.any : same
  return one?.labels[name]
}

/** Smallest set of series that a single matcher leaves; all if every matcher also matches a missing label. */
function candidates({ byKey, byLabel }: TenantIndex, matchers: readonly Matcher[]): Iterable<Series> {
  let best: { sets: Postings[]; size: number } | undefined
  for (const { name, operator, value, fits } of matchers) {
    if (fits('')) continue
    const byValue = byLabel.get(name) ?? new Map<string, Postings>()
    const values = operator === '=' ? [value] : [...byValue.keys()].filter(fits)
    const sets = values.flatMap((each) => byValue.get(each) ?? [])
    const size = sets.reduce((sum, same) => sum + postingsCount(same), 0)
    if (!best || size < best.size) best = { sets, size }
  }
  return best ? best.sets.flatMap((same) => [...eachPosting(same)]) : byKey.values()
}

/** Remembers results by value, because a label has far fewer values than there are series. */
function remembered(fits: (value: string) => boolean): (value: string) => boolean {
  const known = new Map<string, boolean>()
  return (value) => {
    const answer = known.get(value) ?? fits(value)
    known.set(value, answer)
    return answer
  }
}
