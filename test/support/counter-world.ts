import type { RangeSeries, Source } from '../../src/sources/source.ts'

/** A time in Unix seconds and the counter's value then; NaN: the source saw it go. */
export type Sample = [timeSeconds: number, value: number]

/** One series of `requests_total`. */
export type CounterSeries = { service: string; code: string; samples: Sample[] }

export type CounterWorld = Source & {
  /** What was asked, oldest first. */
  asked: string[]
  series: CounterSeries[]
  /** What is thrown where an expression is not answered. */
  refuse(expression: string): Error | null
  /** What the counters of a service count between their first and their last sample in `[end - seconds, end]`. */
  counted(service: string, seconds: number, endSeconds: number): { counted: number; total: number }
}

type Value = number | undefined
const lookbackSeconds = 300

/**
 * A source of counters given by their samples, which answers what nines asks of counters as Prometheus does: the last
 * value is known for five minutes unless the counter was seen to go, a value below the last one is a restart. `increase` is
 * not extrapolated. `isClosed`: a range has the sample at its very beginning, as in Prometheus 2.
 */
export function counterWorld(series: CounterSeries[], { isClosed = true } = {}): CounterWorld {
  const within = ({ samples }: CounterSeries, end: number, seconds: number): Sample[] => {
    const from = end - seconds
    return samples.filter(([time, value]) => time <= end && (time > from || (isClosed && time === from)) && value >= 0)
  }
  const latest = ({ samples }: CounterSeries, at: number): Value => {
    const [time, value] = samples.findLast(([sampledAt]) => sampledAt <= at) ?? [-Infinity, NaN]
    const isKnown = value >= 0 && (time > at - lookbackSeconds || (isClosed && time === at - lookbackSeconds))
    return isKnown ? value : undefined
  }
  const increase = (one: CounterSeries, at: number, seconds: number): Value => {
    const values = within(one, at, seconds).map(([, value]) => value)
    if (values.length < 2) return undefined
    return values.slice(1).reduce((sum, value, n) => sum + value - (value < (values[n] ?? 0) ? 0 : (values[n] ?? 0)), 0)
  }
  const least = (one: CounterSeries, at: number, seconds: number): Value => {
    const values = within(one, at, seconds).map(([, value]) => value)
    return values.length > 0 ? Math.min(...values) : undefined
  }

  /** The value of what is inside of `sum` or `count`, for one series. */
  const valueOf = (inner: string, one: CounterSeries, at: number): Value => {
    const [, range] = /\[(\d+)s\]/.exec(inner) ?? []
    if (/^(increase|rate)\(/.test(inner)) return increase(one, at, Number(range))
    const isPair = / (-|<|>=) /.test(inner)
    if (!isPair) return latest(one, at)
    const [, offset] = / offset (\d+)s/.exec(inner) ?? []
    const before = inner.includes('last_over_time(')
      ? within(one, at - 60, 43_200).at(-1)?.[1]
      : latest(one, at - Number(offset))
    const value = inner.includes('min_over_time(') ? least(one, at, Number(range)) : latest(one, at)
    const isWhole = value !== undefined && before !== undefined && value >= before
    if (inner.includes(' unless ')) return isWhole ? undefined : (value ?? before)
    if (value === undefined || before === undefined) return undefined
    if (inner.startsWith('clamp_min(')) return Math.max(0, value - before)
    return value < before === inner.includes(' < ') ? value : undefined
  }

  const evaluate = (expression: string, at: number): { metric: Record<string, string>; value: number }[] => {
    const covered = /^count_over_time\(\((.*)\)\[(\d+)s:(\d+)s\]\) \* /.exec(expression)
    if (covered) return coverageOf(covered, at)
    const [, by, labels, inner = ''] = /^(sum|count)(?: by \(([^)]*)\))? \((.*)\)$/s.exec(expression) ?? []
    const groups = new Map<string, { metric: Record<string, string>; value: number }>()
    for (const one of world.series.filter(selected(inner))) {
      const value = valueOf(inner, one, at)
      if (value === undefined) continue
      const metric = labels === undefined ? {} : { service: one.service }
      const key = JSON.stringify(metric)
      const group = groups.get(key) ?? { metric, value: 0 }
      group.value += by === 'count' ? 1 : value
      groups.set(key, group)
    }
    return [...groups.values()]
  }
  const coverageOf = ([, whole = '', seconds, step]: RegExpExecArray, at: number) => {
    const found = new Map<string, { metric: Record<string, string>; value: number }>()
    const first = Math.ceil((at - Number(seconds) + 1) / Number(step)) * Number(step)
    for (let time = first; time <= at; time += Number(step)) {
      for (const { metric } of evaluate(whole, time)) {
        const key = JSON.stringify(metric)
        found.set(key, { metric, value: (found.get(key)?.value ?? 0) + Number(step) })
      }
    }
    return [...found.values()]
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
    async range(expression, { startSeconds, endSeconds, stepSeconds }) {
      world.asked.push(expression)
      const error = world.refuse(expression)
      if (error) throw error
      const found = new Map<string, RangeSeries>()
      for (let at = startSeconds; at <= endSeconds; at += stepSeconds) {
        for (const { metric, value } of evaluate(expression, at)) {
          const key = JSON.stringify(metric)
          const one = found.get(key) ?? { metric, values: [] }
          one.values.push([at, String(value)])
          found.set(key, one)
        }
      }
      return { data: [...found.values()], warnings: [], infos: [], partial: false, durationMs: 0 }
    },
  }
  return world
}

/** By what the first selector of an expression asks of the labels. */
function selected(expression: string): (one: CounterSeries) => boolean {
  const [, matchers = ''] = /requests_total\{([^}]*)\}/.exec(expression) ?? []
  const patterns = [...matchers.matchAll(/(service|code)=~?"([^"]*)"/g)].map(
    ([, label, value]) => [label === 'code' ? 'code' : 'service', new RegExp(`^(?:${value})$`)] as const,
  )
  return (one) => patterns.every(([label, pattern]) => pattern.test(one[label]))
}
