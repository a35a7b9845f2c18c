import { describe, expect, test } from 'bun:test'
import {
  addressText,
  autoStep,
  durationSeconds,
  momentText,
  readMoment,
  readSpan,
} from '../../../../src/web/page/address/time-text.ts'

const nowMs = Date.parse('2026-11-18T13:03:12Z')

test.each([
  ['30', 30],
  ['90s', 90],
  ['1h30m', 5400],
  ['1d', 86_400],
  ['500ms', 0.5],
  ['', null],
  ['5 m', null],
  ['m', null],
  ['-5m', null],
] as const)('the duration %p is %p seconds', (text, seconds) => {
  expect(durationSeconds(text)).toBe(seconds)
})

describe('a moment', () => {
  test.each([
    ['now', nowMs],
    [' now ', nowMs],
    ['now-3h', nowMs - 3 * 3_600_000],
    ['now - 1d', nowMs - 86_400_000],
    [String(nowMs), nowMs],
    ['2026-11-18T02:00:00Z', Date.parse('2026-11-18T02:00:00Z')],
    ['2026-11-18 02:00+02:00', Date.parse('2026-11-18T00:00:00Z')],
    ['2026-11-18 02:00', new Date(2026, 10, 18, 2).getTime()],
    ['2026-11-18', new Date(2026, 10, 18).getTime()],
    ['2026-13-18 02:00', null],
    ['now+1h', null],
    ['now-', null],
    ['yesterday', null],
    ['', null],
  ])('%p is %p', (text, ms) => {
    expect(readMoment(text, nowMs)).toBe(ms)
  })

  test('a moment stays relative in an address, and is in milliseconds otherwise', () => {
    expect(addressText('now - 3h', nowMs)).toBe('now-3h')
    expect(addressText('2026-11-18 02:00', nowMs)).toBe(String(new Date(2026, 10, 18, 2).getTime()))
    expect(addressText('nonsense', nowMs)).toBe('nonsense')
  })

  test('a moment reads in a field as it was typed', () => {
    expect(momentText(addressText('2026-11-18 02:00:05', nowMs))).toBe('2026-11-18 02:00:05')
    expect(momentText(addressText('2026-11-18 02:00', nowMs))).toBe('2026-11-18 02:00')
    expect(momentText('now-6h')).toBe('now-6h')
  })
})

describe('a range', () => {
  test('a range begins at a multiple of its step, so that the same points are read a little later', () => {
    const span = readSpan({ from: 'now-1h', to: 'now', step: '' }, nowMs)
    const later = readSpan({ from: 'now-1h', to: 'now', step: '' }, nowMs + 2000)
    expect(span).toEqual({
      fromSeconds: Date.parse('2026-11-18T12:03:00Z') / 1000,
      toSeconds: nowMs / 1000,
      stepSeconds: 15,
    })
    expect(later).toMatchObject({ fromSeconds: (span as { fromSeconds: number }).fromSeconds })
  })

  test.each([3600, 6 * 3600, 86_400, 7 * 86_400, 30 * 86_400, 3650 * 86_400])(
    'of %p seconds has at most 400 points, and not few',
    (seconds) => {
      const points = seconds / autoStep(seconds)
      expect(points).toBeLessThanOrEqual(400)
      expect(points).toBeGreaterThanOrEqual(160)
    },
  )

  test.each([
    [{ from: 'x', to: 'now', step: '' }, 'from'],
    [{ from: 'now-1h', to: 'x', step: '' }, 'to'],
    [{ from: 'now', to: 'now-1h', step: '' }, 'from'],
    [{ from: 'now-1h', to: 'now', step: 'often' }, 'step'],
    [{ from: 'now-1h', to: 'now', step: '0' }, 'step'],
    [{ from: 'now-30d', to: 'now', step: '1s' }, 'step'],
  ] as const)('%j names the field that is wrong: %p', (fields, field) => {
    expect(readSpan(fields, nowMs)).toMatchObject({ field })
  })

  test('a range says how short a step may be', () => {
    expect(readSpan({ from: 'now-30d', to: 'now', step: '10s' }, nowMs)).toEqual({
      field: 'step',
      message: 'must be at least 236s for this range',
    })
    expect(readSpan({ from: 'now-30d', to: 'now', step: '236s' }, nowMs)).toMatchObject({ stepSeconds: 236 })
  })
})
