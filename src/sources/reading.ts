import { type InstantData, sampleNumber } from './source.ts'

/** An instant answer as numbers; the table of docs/slo-math.md, "What may come back". NaN is no data. */
export type Reading =
  | { kind: 'numbers'; values: [number, ...number[]] } // one for each series that has a finite value
  | { kind: 'empty' }
  | { kind: 'not_a_number'; what: string }

export function readInstant(data: InstantData): Reading {
  switch (data.resultType) {
    case 'scalar':
      return readValues([data.result[1]])
    case 'string':
      return { kind: 'not_a_number', what: 'a string' }
    case 'matrix':
      return { kind: 'not_a_number', what: 'a range of samples for each series' }
    case 'vector': {
      const values = data.result.flatMap(({ value }) => (value ? [value[1]] : []))
      if (values.length < data.result.length) return { kind: 'not_a_number', what: 'a native histogram' }
      return readValues(values)
    }
  }
}

/** What a side of a ratio adds up to over all its series; `null` where it has no value. */
export function sumInstant(data: InstantData): number | null {
  const reading = readInstant(data)
  return reading.kind === 'numbers' ? sum(reading.values) : null
}

export function mean(values: readonly [number, ...number[]]): number {
  return sum(values) / values.length
}

/** Of any number of values; arguments have a limit. */
export function largest(values: readonly [number, ...number[]]): number {
  return values.reduce((most, value) => Math.max(most, value))
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

/** Whether there is a first one; for the type checker. */
export function isFilled<T>(values: T[]): values is [T, ...T[]] {
  return values.length > 0
}

function readValues(texts: string[]): Reading {
  const values = texts.map(sampleNumber).filter((value) => !Number.isNaN(value))
  const odd = values.find((value) => !Number.isFinite(value))
  if (odd !== undefined) return { kind: 'not_a_number', what: odd > 0 ? '+Inf' : '-Inf' }
  return isFilled(values) ? { kind: 'numbers', values } : { kind: 'empty' }
}
