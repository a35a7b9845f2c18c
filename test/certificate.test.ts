import { expect, test } from 'bun:test'
import { certificateState, daysLeft, stageOf } from '../src/certificate.ts'

const day = 86_400
const lasting = (days: number) => ({ startsAt: 0, expiresAt: days * day })

test.each([
  [90, 21.1, null],
  [90, 21, 21],
  [90, 7.1, 21],
  [90, 7, 7],
  [90, 1.1, 7],
  [90, 1, 1],
  [90, -5, 1],
  [47, 12, null], // renewed at about 15 days
  [47, 11, 21],
  [6, 2, null],
  [6, 1.4, 21],
  [6, 0.7, 7],
  [6, 0.3, 1],
  [0, 0, 1],
] as const)('a certificate of %p days with %p days left is in stage %p', (lifetime, left, stage) => {
  expect(stageOf(lasting(lifetime), (lifetime - left) * day)).toBe(stage)
})

test('days that are left are whole ones, and negative from the expiry on', () => {
  const left = [2, 1.9, 0.5, 0, -0.1, -3]
  expect(left.map((days) => daysLeft(lasting(90), (90 - days) * day))).toEqual([2, 1, 0, 0, -1, -3])
  expect(left.map((days) => certificateState(lasting(90), (90 - days) * day))).toEqual([
    'expiring',
    'expiring',
    'expiring',
    'expired',
    'expired',
    'expired',
  ])
})
