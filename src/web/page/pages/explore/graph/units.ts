import type { Unit } from '../../../address/explore.ts'
import { formatCount, formatNumber } from '../../../format.ts'

const thin = '\u2009'

/** A unit. `word`: its name in the list. `increments`: distances between the ticks of an axis; absent: round decimal numbers. */
export type UnitFormat = { word: string; format: (value: number) => string; increments?: number[] }

const timeSizes: [seconds: number, name: string][] = [
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'min'],
  [1, 's'],
  [1e-3, 'ms'],
  [1e-6, 'µs'],
]
const byteSizes = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB']

const decimal = Array.from({ length: 10 }, (_, at) => [1, 2, 5].map((n) => n * 10 ** (at - 9))).flat()
const clockSteps = [10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200]
const timeIncrements = [
  ...decimal,
  ...clockSteps,
  ...[1, 2, 5].flatMap((n) => [1, 10, 100, 1000, 10_000].map((times) => 86_400 * n * times)).toSorted((a, b) => a - b),
]
const byteIncrements = Array.from({ length: 70 }, (_, at) => 2 ** (at - 10))

export const unitFormats: Record<Unit, UnitFormat> = {
  number: { word: 'Number', format: formatValue },
  percent: { word: 'Percent', format: (value) => `${formatValue(value)}${thin}%` },
  ratio: { word: 'Ratio as percent', format: (value) => `${formatValue(value * 100)}${thin}%` },
  seconds: { word: 'Seconds', format: formatSeconds, increments: timeIncrements },
  milliseconds: {
    word: 'Milliseconds',
    format: (value) => formatSeconds(value / 1000),
    increments: timeIncrements.map((seconds) => seconds * 1000),
  },
  bytes: { word: 'Bytes', format: formatBytes, increments: byteIncrements },
  per_second: { word: 'Per second', format: (value) => `${formatValue(value)}${thin}/s` },
  bytes_per_second: {
    word: 'Bytes per second',
    format: (value) => `${formatBytes(value)}/s`,
    increments: byteIncrements,
  },
}

/** Formats a duration in the largest unit that gives at least 2, for seconds and below at least 1: `90 s`, `2.5 min`, `120 ms`. */
function formatSeconds(seconds: number): string {
  const size = Math.abs(seconds)
  const [unitSeconds, name] =
    timeSizes.find(([one]) => size >= (one > 1 ? 2 : 1) * one) ?? (size === 0 ? [1, 's'] : [1e-6, 'µs'])
  return `${formatValue(seconds / unitSeconds)}${thin}${name}`
}

function formatBytes(bytes: number): string {
  const power = bytes === 0 ? 0 : Math.floor(Math.log2(Math.abs(bytes)) / 10)
  const at = Math.max(0, Math.min(byteSizes.length - 1, power))
  return `${formatValue(bytes / 1024 ** at)}${thin}${byteSizes[at]}`
}

/**
 * Formats a value for an axis or a legend: five significant digits, short from 10,000 on, with an exponent below 0.0001 and
 * from 1e13 on.
 */
export function formatValue(value: number): string {
  const size = Math.abs(value)
  if (size >= 1e13 || (size > 0 && size < 1e-4)) return value.toExponential(2).replace('-', '−').replace('e-', 'e−')
  if (size >= 1e4) return formatCount(value)
  return formatNumber(value, Math.min(6, decimalsOf(value)))
}

function decimalsOf(value: number): number {
  return (String(Number(value.toPrecision(5))).split('.')[1] ?? '').length
}
