import type { RangeSeries, Source } from '../../src/sources/source.ts'
import { type SampledSeries, type SampledSource, sampledSource } from './sampled-source.ts'

/** Time in Unix seconds and the counter's value. NaN: a staleness marker. */
export type Sample = [timeSeconds: number, value: number]

/** A series of `requests_total`. */
export type CounterSeries = { service: string; code: string; samples: Sample[] }

export type CounterWorld = Source & {
  /** Expressions queried so far, oldest first. */
  asked: string[]
  series: CounterSeries[]
  /** Error thrown for an expression; null: the expression is answered. */
  refuse(expression: string): Error | null
  /** Increase of a service's counters between the first and last sample in `[end - seconds, end]`. */
  counted(service: string, seconds: number, endSeconds: number): { counted: number; total: number }
}

type Value = number | undefined

/**
 * A source of counters given by their samples. It answers the queries that nines sends for counters as Prometheus does, except
 * that `increase` is not extrapolated. `isClosed`: a range includes the sample at its very beginning, as in Prometheus 2.
 */
export function counterWorld(series: CounterSeries[], { isClosed = true } = {}): CounterWorld {
  const increase = ({ samples }: CounterSeries, end: number, seconds: number): Value => {
    const from = end - seconds
    const inside = samples.filter(([time]) => time <= end && (time > from || (isClosed && time === from)))
    const values = inside.map(([, value]) => value).filter((value) => value >= 0)
    if (values.length < 2) return undefined
    return values.slice(1).reduce((sum, value, n) => sum + value - (value < (values[n] ?? 0) ? 0 : (values[n] ?? 0)), 0)
  }

  const evaluateIncrease = (expression: string, at: number): { metric: Record<string, string>; value: number }[] => {
    const [, labels, inner = ''] = /^sum(?: by \(([^)]*)\))? \((.*)\)$/s.exec(expression) ?? []
    const [, seconds] = /\[(\d+)s\]/.exec(inner) ?? []
    const groups = new Map<string, { metric: Record<string, string>; value: number }>()
    for (const one of world.series.filter(selected(inner))) {
      const value = increase(one, at, Number(seconds))
      if (value === undefined) continue
      const metric = labels === undefined ? {} : { service: one.service }
      const group = groups.getOrInsertComputed(JSON.stringify(metric), () => ({ metric, value: 0 }))
      group.value += value
    }
    return [...groups.values()]
  }

  let known: { samples: Sample[][]; source: SampledSource } | undefined
  const sampledOnce = (): SampledSource => {
    const samples = world.series.map((one) => one.samples)
    const isSame = known?.samples.length === samples.length && known.samples.every((some, at) => some === samples[at])
    if (!known || !isSame) known = { samples, source: sampledSource(world.series.map(sampled), { isClosed }) }
    return known.source
  }

  const world: CounterWorld = {
    name: 'world',
    series,
    asked: [],
    refuse: () => null,
    counted: (service, seconds, end) => {
      const sum = (some: CounterSeries[]) => some.reduce((all, one) => all + (increase(one, end, seconds) ?? 0), 0)
      const own = world.series.filter((one) => one.service === service)
      return { counted: sum(own.filter(({ code }) => code.startsWith('5'))), total: sum(own) }
    },
    instant: () => Promise.reject(new Error('must be a range')),
    async range(expression, grid) {
      world.asked.push(expression)
      const error = world.refuse(expression)
      if (error) throw error
      if (!expression.includes('increase(')) return sampledOnce().range(expression, grid)
      const { startSeconds, endSeconds, stepSeconds } = grid
      const found = new Map<string, RangeSeries>()
      for (let at = startSeconds; at <= endSeconds; at += stepSeconds) {
        for (const { metric, value } of evaluateIncrease(expression, at)) {
          const key = JSON.stringify(metric)
          const one = found.get(key) ?? { metric, values: [] }
          one.values.push([at, String(value)])
          found.set(key, one)
        }
      }
      return { data: [...found.values()], warnings: [], infos: [], isPartial: false, durationMs: 0 }
    },
  }
  return world
}

/** Filter by the label matchers of the first selector in an expression. */
function selected(expression: string): (one: CounterSeries) => boolean {
  const [, matchers = ''] = /requests_total\{([^}]*)\}/.exec(expression) ?? []
  const patterns = [...matchers.matchAll(/(service|code)=~?"([^"]*)"/g)].map(
    ([, label, value]) => [label === 'code' ? 'code' : 'service', new RegExp(`^(?:${value})$`)] as const,
  )
  return (one) => patterns.every(([label, pattern]) => pattern.test(one[label]))
}

function sampled({ service, code, samples }: CounterSeries, place: number): SampledSeries {
  return {
    labels: { __name__: 'requests_total', service, code, place: String(place) },
    samples: samples.map(([time, value]) => ({ atMs: time * 1000, value: value >= 0 ? value : 'stale' })),
  }
}
