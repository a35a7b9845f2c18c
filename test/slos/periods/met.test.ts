import { expect, test } from 'bun:test'
import { presentPeriod } from '../../../src/slos/periods/routes.ts'

const period = {
  slo_id: 1,
  starts_at: 1_790_812_800,
  ends_at: 1_793_491_200,
  time_window: 'month',
  time_zone: 'UTC',
  revision: 1,
  good_events: null,
  total_events: null,
  counted_good: null,
  counted_total: null,
  excluded_good: 0,
  excluded_total: 0,
  excluded_seconds: 0,
  note: null,
  frozen_at: 1_793_492_100_000,
  recomputed_at: null,
} as const

test.each([
  ['exactly at the target', (9004 / 10_000) * 100, true],
  ['below the target', (9003 / 10_000) * 100, false],
])('a period with an SLI %s', (_, sli, met) => {
  expect(presentPeriod({ ...period, target: 90.04, sli })).toMatchObject({ sli: Math.round(sli * 100) / 100, met })
})
