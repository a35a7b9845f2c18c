import { expect, test } from 'bun:test'
import { stepsOfWindow } from '../../../src/slos/arithmetic/window-steps.ts'
import { addUpSteps } from '../../../src/slos/arithmetic/running-sums.ts'
import { standardTiers } from '../../../src/slos/arithmetic/tiers.ts'
import { isSloWindow, isWindow } from '../../../src/slos/arithmetic/window-names.ts'
import { type MovingWindow, nominalSeconds, windowSeconds } from '../../../src/slos/arithmetic/windows.ts'

const count = (length: number, unit: 'h' | 'd' | 'w') =>
  Array.from({ length }, (_, n): MovingWindow => `${n + 1}${unit}`)
const all = [...count(48, 'h'), ...count(366, 'd'), ...count(52, 'w')]

test('a window of an SLO is of whole hours up to 48, of days up to 366 or of weeks up to 52, or a calendar period', () => {
  expect([...all, 'week', 'month', 'quarter', 'year'].filter((name) => !isSloWindow(name))).toEqual([])
  const others = [
    '49h',
    '367d',
    '53w',
    '0h',
    '01d',
    '1.5d',
    '1d12h',
    '-1h',
    '30',
    'd',
    '30D',
    ' 30d',
    '60m',
    '999d',
    'Month',
    'day',
    'constructor',
    '',
  ]
  expect(others.filter(isSloWindow)).toEqual([])
})

test('something can be calculated over them, and over three windows of minutes', () => {
  expect([...all, '5m', '15m', '30m'].filter((name) => !isWindow(name))).toEqual([])
  expect(['1m', '10m', '60m', '367d', 'month'].filter(isWindow)).toEqual([])
})

test.each([
  ['5m', 300],
  ['36h', 129_600],
  ['14d', 1_209_600],
  ['4w', 2_419_200],
  ['366d', 31_622_400],
] as const)('%s is %p seconds', (name, seconds) => expect(windowSeconds(name)).toBe(seconds))

test('a calendar period has the tiers of 7, 30, 91 or 365 days', () => {
  expect((['week', 'month', 'quarter', 'year'] as const).map((name) => nominalSeconds(name) / 86_400)).toEqual([
    7, 30, 91, 365,
  ])
  expect(standardTiers('month')).toEqual(standardTiers('30d'))
})

test('windows of the same length have the same tiers, whatever they are called', () => {
  expect(standardTiers('1d')).toEqual(standardTiers('24h'))
  expect(standardTiers('1w')).toEqual(standardTiers('7d'))
  expect(standardTiers('4w')).toEqual(standardTiers('28d'))
})

test('the windows of each standard tier are whole minutes, and whole steps of a history', () => {
  for (const name of all) {
    const step = windowSeconds(name) < 12 * 3600 ? 60 : 300
    const tiers = standardTiers(name)
    expect(tiers.length).toBeGreaterThan(0)
    const off = tiers.filter(
      ({ longSeconds, shortSeconds }) => longSeconds % step > 0 || shortSeconds % step > 0 || shortSeconds < step,
    )
    expect({ name, off }).toEqual({ name, off: [] })
  }
})

test('each window is shown in whole steps, at most 200, or in days', () => {
  for (const name of all) {
    const seconds = windowSeconds(name)
    const span = { startSeconds: 0, endSeconds: seconds, stepSeconds: 3600 }
    const sums = addUpSteps([], span)
    const { stepSeconds, steps } = stepsOfWindow({ ...sums, endSeconds: seconds }, seconds, null)
    expect({ name, covered: steps.length * stepSeconds }).toEqual({ name, covered: seconds })
    expect(steps.length).toBeLessThanOrEqual(stepSeconds === 86_400 ? 366 : 200)
  }
})
