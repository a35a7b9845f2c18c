import { queryFailed } from '../../promql/errors.ts'
import type { Series } from './reader.ts'
import { type Labels, labelsKey, withoutMetadata } from '../../promql/labels.ts'

/** Times of an evaluation: `count` of them from `startMs` on, every `stepMs`. */
export type Frame = { startMs: number; stepMs: number; count: number }

export const timeAt = ({ startMs, stepMs }: Frame, step: number) => startMs + step * stepMs

/** A series over the times of a frame. It has a value at the steps at which `has` is 1. */
export type Column = { labels: Labels; values: Float64Array; has: Uint8Array }

export type Value =
  { type: 'scalar'; values: Float64Array } | { type: 'string'; text: string } | { type: 'vector'; columns: Column[] }

export function emptyColumn(labels: Labels, { count }: Frame): Column {
  return { labels, values: new Float64Array(count), has: new Uint8Array(count) }
}

export function put({ values, has }: Column, step: number, value: number) {
  values[step] = value
  has[step] = 1
}

/** Number of values in a column. */
export function countIn({ has }: Column): number {
  return has.reduce((sum, one) => sum + one, 0)
}

/** Values of a column as the samples of a series. */
export function samplesIn(frame: Frame, column: Column): Series {
  const count = countIn(column)
  const present = { labels: column.labels, timesMs: new Float64Array(count), values: new Float64Array(count) }
  let index = 0
  for (let step = 0; step < frame.count; step += 1) {
    if (column.has[step] !== 1) continue
    present.timesMs[index] = timeAt(frame, step)
    present.values[index] = column.values[step] ?? NaN
    index += 1
  }
  return present
}

/** Maps the values of a column to a new column, by default without the metadata labels; undefined drops a value. */
export function mapColumn(
  { labels, values, has }: Column,
  change: (value: number, step: number) => number | undefined,
  newLabels: Labels = withoutMetadata(labels),
): Column {
  const mapped: Column = {
    labels: newLabels,
    values: new Float64Array(values.length),
    has: new Uint8Array(values.length),
  }
  for (let step = 0; step < values.length; step += 1) {
    if (has[step] !== 1) continue
    const value = change(values[step] ?? NaN, step)
    if (value !== undefined) put(mapped, step, value)
  }
  return mapped
}

/** Groups columns by a key of their labels, in the order in which the groups first occur. */
export function grouped(columns: readonly Column[], keyOf: (labels: Labels) => string): Map<string, Column[]> {
  const groups = new Map<string, Column[]>()
  for (const column of columns) groups.getOrInsertComputed(keyOf(column.labels), () => []).push(column)
  return groups
}

/** Merges columns with the same labels. Throws if two of them have a value at the same step. */
export function distinct(columns: Column[]): Column[] {
  const groups = grouped(columns, labelsKey)
  if (groups.size === columns.length) return columns
  return [...groups.values()].flatMap(([first, ...others]) => {
    if (!first || others.length === 0) return first ?? []
    const merged = { labels: first.labels, values: first.values.slice(), has: first.has.slice() }
    for (const { values, has } of others)
      for (let step = 0; step < has.length; step += 1) {
        if (has[step] !== 1) continue
        if (merged.has[step] === 1) throw queryFailed('vector cannot contain metrics with the same labelset')
        put(merged, step, values[step] ?? NaN)
      }
    return merged
  })
}

/** For each step, the number of columns that have a value there. */
export function countPresent({ count }: Frame, columns: readonly Column[]): Uint32Array {
  const counts = new Uint32Array(count)
  for (const { has } of columns)
    for (let step = 0; step < count; step += 1) counts[step] = (counts[step] ?? 0) + (has[step] ?? 0)
  return counts
}
