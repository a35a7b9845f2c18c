import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { App } from '../../app.ts'
import { minuteMs } from '../../clock.ts'
import { targetLabels } from '../../embedded/collection/series/target-labels.ts'
import type { Label } from '../../embedded/exposition/sample.ts'
import { AppError } from '../../errors.ts'
import { type Shop, type ShopValue, shopName } from './shop.ts'
import type { EventSource } from './slos.ts'

/** Past of the demo: `count` minutes from `firstSeconds` (Unix time) on. */
export type PastSpan = { firstSeconds: number; count: number }

/** Running sums of an SLO's events, or seconds, by minute: minute `n` has `good[n + 1] - good[n]` good ones. */
export type PastSums = { good: Float64Array; total: Float64Array }

/** Series of a target or probe that is called `job`. `labels`: without those of the target, sorted by name. */
type PastSeries = Omit<ShopValue, 'value'> & { job: string; instance: string }

const fullyScrapedMinutes = 4 * 1440 // before these newest minutes, only every other minute has samples
const minutesPerBatch = 500
const minutesPerFlush = 3000

type Deps = Pick<App, 'samples' | 'isClosing'>
type PastOptions = { organizationId: number; shop: Shop; ownUrl: string; eventSources: EventSource[] }

/**
 * Imports the samples that scrapes would have found, of the shop and of nines itself. Returns the events of each SLO, in the order
 * of `eventSources`.
 */
export async function importPast(deps: Deps, span: PastSpan, options: PastOptions): Promise<PastSums[]> {
  const { samples: store } = deps
  const timeOf = (minute: number) => 1000 * span.firstSeconds + minute * minuteMs
  const ofShop = options.shop
    .valuesAt(timeOf(0))
    .map((one) => ({ ...one, job: shopName, instance: `nines:${shopName}` }))
  const series = [...ofShop, ...ownSeries(options.ownUrl)]
  const refs = series.map((one) => store.refOf(options.organizationId, labelsOf(one)))
  const eventSums = options.eventSources.map((source) => createEventSums(source, series.map(nameOf), span.count))
  for (let minute = 0; minute <= span.count; minute += 1) {
    const timeMs = timeOf(minute)
    const values = [...options.shop.valuesAt(timeMs).map(({ value }) => value), ...ownValues(minute)]
    const isScraped = minute > span.count - fullyScrapedMinutes || minute % 2 === 0
    for (const [index, ref] of isScraped ? refs.entries() : []) store.appendTo(ref, timeMs, values[index] ?? 0)
    for (const each of eventSums) each.addMinute(minute, values)
    if (minute % minutesPerFlush === 0) store.flush()
    if (minute % minutesPerBatch === 0) await yieldToEventLoop()
    if (deps.isClosing()) throw new AppError('unavailable', 'Stopping')
  }
  store.flush()
  return eventSums.map(({ sums }) => sums)
}

/** Series of nines itself: of its requests and its probes. */
function ownSeries(ownUrl: string): PastSeries[] {
  const [name, labels] = ['http_request_duration_seconds', { method: 'GET', path: '/health' }]
  const ofRequests = [
    { name: `${name}_bucket`, labels: { le: '0.25', ...labels } },
    { name: `${name}_bucket`, labels: { le: '+Inf', ...labels } },
    { name: `${name}_count`, labels },
  ]
  const success = { name: 'probe_success', labels: {} }
  return [
    ...ofRequests.map((one) => ({ ...one, job: 'nines', instance: 'nines:metrics' })),
    { ...success, job: 'nines-health', instance: `${ownUrl}/health` },
    { ...success, job: 'nines-port', instance: new URL(ownUrl).host },
  ]
}

/** Values of `ownSeries`: 24 requests a minute, of which few are slow, and probes that succeed. */
function ownValues(minute: number): number[] {
  const requests = 24 * minute
  return [requests - Math.floor(minute / 700), requests, requests, 1, 1]
}

function labelsOf({ name, labels, job, instance }: PastSeries): Label[] {
  const all: Label[] = [['__name__', name], ...targetLabels({ name: job, labels }, instance)]
  return all.toSorted(([a], [b]) => (a < b ? -1 : 1))
}

/** Name of a series in an `EventSource`. */
function nameOf({ job, name, labels }: PastSeries): string {
  return `${job} ${name}{${Object.values(labels).join()}}`
}

/** Sums up an SLO's events. Call `addMinute` for each minute in order, with the values at its end in the order of `names`. */
function createEventSums(source: EventSource, names: string[], minutes: number) {
  const sums: PastSums = { good: new Float64Array(minutes + 1), total: new Float64Array(minutes + 1) }
  const indexOf = (name: string) => {
    const index = names.indexOf(name)
    if (index < 0) throw new Error(`the demo has no series ${name}`)
    return index
  }
  const sumOf = (indexes: number[], values: number[]) => indexes.reduce((sum, index) => sum + (values[index] ?? 0), 0)
  if ('series' in source) {
    const index = indexOf(source.series)
    const addMinute = (minute: number, values: number[]) => {
      if (minute === 0) return
      const isGood = (values[index] ?? 0) >= source.min
      sums.good[minute] = (sums.good[minute - 1] ?? 0) + (isGood ? 60 : 0)
      sums.total[minute] = (sums.total[minute - 1] ?? 0) + 60
    }
    return { sums, addMinute }
  }
  const [good, total] = [source.good.map(indexOf), source.total.map(indexOf)]
  const addMinute = (minute: number, values: number[]) => {
    sums.good[minute] = sumOf(good, values)
    sums.total[minute] = sumOf(total, values)
  }
  return { sums, addMinute }
}

/** Sum of the minutes `[from, until)`, without those before the first. */
export function sumOfMinutes({ good, total }: PastSums, from: number, until: number) {
  const start = Math.max(0, from)
  const difference = (sums: Float64Array) => (sums[until] ?? 0) - (sums[start] ?? 0)
  return { good: difference(good), total: difference(total), coveredSeconds: 60 * (until - start) }
}
