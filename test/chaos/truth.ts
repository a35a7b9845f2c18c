/** An SLO with a known SLI at every time: its counters keep a constant ratio. */
export type Truth = {
  name: string
  source: 'outside' | 'embedded'
  percent: number
  target: number
  definition: Record<string, unknown>
}

const window = { time_window: '1h', metric_type: 'availability' }

const gauge = (name: string, source: Truth['source'], percent: number, target: number): Truth => ({
  name,
  source,
  percent,
  target,
  definition: { ...window, metric_query: `avg_over_time(${name}[5m])` },
})

const ratio = (name: string, percent: number, target: number): Truth => ({
  name,
  source: 'embedded',
  percent,
  target,
  definition: {
    ...window,
    metric_query: `sum(rate(${name}_good_total[5m])) / sum(rate(${name}_all_total[5m]))`,
  },
})

export const truths: Truth[] = [
  gauge('outside_1', 'outside', 99.95, 99.9),
  gauge('outside_2', 'outside', 97, 99),
  gauge('outside_3', 'outside', 100, 99.99),
  gauge('outside_4', 'outside', 88.5, 80),
  gauge('inside_1', 'embedded', 99.5, 99),
  gauge('inside_2', 'embedded', 42, 90),
  ratio('ratio_1', 99.75, 99.5),
  ratio('ratio_2', 98, 99),
  {
    ...ratio('counts_1', 99.9, 99.5),
    definition: { ...window, good_query: 'counts_1_good_total', total_query: 'counts_1_all_total' },
  },
]

/**
 * The SLO that is broken on purpose to cause an alert. Its window is one query to the source, whose answer about the whole past
 * follows the current value: so the alert also ends at once.
 */
export const switched = {
  name: 'switched',
  target: 99,
  ...window,
  metric_query: 'sum_over_time(switched[$window]) / sum_over_time(every[$window])',
}

/** Exposition of the target at a time, in the text format; counters start long before. */
export function exposed(timeMs: number): string {
  const all = timeMs / 10 - 1e11
  return truths
    .filter(({ source }) => source === 'embedded')
    .flatMap(({ name, percent }) =>
      name.startsWith('inside')
        ? [`# TYPE ${name} gauge`, `${name} ${percent / 100}`]
        : [
            `# TYPE ${name}_good_total counter`,
            `${name}_good_total ${(all * percent) / 100}`,
            `# TYPE ${name}_all_total counter`,
            `${name}_all_total ${all}`,
          ],
    )
    .join('\n')
}
