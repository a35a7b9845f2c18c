import type { TableData } from '../../../charts/table-data.ts'
import { type Data, numberOf, type Series } from '../answer.ts'
import { histogramText } from '../words.ts'

/** Values for the CSV: a column for each label, then the time and the value; values that are not finite stay text. */
export function tableFigures(data: Data): TableData {
  const cell = (text: string) => (Number.isFinite(numberOf(text)) ? Number(text) : text)
  const moment = (seconds: number) => new Date(seconds * 1000).toISOString()
  if (data.resultType !== 'vector' && data.resultType !== 'matrix') {
    const [seconds, text] = data.result
    const value = data.resultType === 'scalar' ? cell(text) : text
    return { columns: ['Time', 'Value'], rows: [[moment(seconds), value]] }
  }
  const all: Series[] =
    data.resultType === 'matrix'
      ? data.result
      : data.result.map(({ metric, value, histogram }) => ({
          metric,
          values: value ? [value] : [],
          histograms: histogram ? [histogram] : [],
        }))
  const points = all.flatMap(({ metric, values = [], histograms = [] }) => [
    ...values.map(([seconds, text]) => ({ metric, seconds, value: cell(text) })),
    ...histograms.map(([seconds, { count, sum }]) => ({ metric, seconds, value: histogramText({ count, sum }) })),
  ])
  const names = [...new Set(points.flatMap(({ metric }) => Object.keys(metric)))]
  return {
    columns: [...names, 'Time', 'Value'],
    rows: points.map(({ metric, seconds, value }) => [
      ...names.map((name) => (Object.hasOwn(metric, name) ? (metric[name] ?? null) : null)),
      moment(seconds),
      value,
    ]),
  }
}
