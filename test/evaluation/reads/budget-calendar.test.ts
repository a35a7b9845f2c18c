import { afterEach, beforeEach, expect, test } from 'bun:test'
import { type SloWindow, windowSeconds } from '../../../src/slos/arithmetic/windows.ts'
import { day, hour, minute, type Resolution } from '../../../src/ledger/bucket.ts'
import { putBuckets } from '../../../src/ledger/ledger-store.ts'
import { sumWindows } from '../../../src/ledger/window-sums.ts'
import { sliOfSum } from '../../../src/slos/arithmetic/window-sum.ts'
import { errorBudget } from '../../../src/slos/arithmetic/budget.ts'
import { evaluated, startSeconds as endSeconds } from '../../sli/ledger-fixtures.ts'
import type { TestApp } from '../../support/app.ts'
import { joinedApp } from '../../support/reused-app.ts'
import { seeded } from '../../support/seeded.ts'
import { checkout } from '../../support/slo-calls.ts'

let nines: TestApp
beforeEach(async () => {
  nines = await joinedApp()
})
afterEach(() => nines.close())

/** Resolutions of a ledger's history by window: minutes, hours or days, each up to a number of seconds before the end. */
const shapes = {
  '1h': [[minute, -hour, 0]],
  '24h': [[minute, -day, 0]],
  '36h': [
    [hour, -36 * hour, -10 * hour],
    [minute, -10 * hour, 0],
  ],
  '7d': [
    [hour, -7 * day, -7 * day + 14 * hour],
    [day, -7 * day + 14 * hour, -10 * hour],
    [minute, -10 * hour, 0],
  ],
  '2w': [
    [hour, -14 * day, -14 * day + 14 * hour],
    [day, -14 * day + 14 * hour, -10 * hour],
    [minute, -10 * hour, 0],
  ],
  '30d': [
    [hour, -30 * day, -30 * day + 14 * hour],
    [day, -30 * day + 14 * hour, -10 * hour],
    [hour, -10 * hour, 0],
  ],
  '90d': [
    [day, -90 * day - 10 * hour, -10 * hour],
    [hour, -10 * hour, 0],
  ],
  '366d': [
    [day, -366 * day - 10 * hour, -10 * hour],
    [hour, -10 * hour, 0],
  ],
} satisfies Partial<Record<SloWindow, [Resolution, fromSeconds: number, toSeconds: number][]>>

test.each(
  (['1h', '24h', '36h', '7d', '2w', '30d', '90d', '366d'] as const).flatMap((window) => [
    [window, 99, 1] as const,
    [window, 99.9, 2] as const,
    [window, 100, 3] as const,
  ]),
)(
  'what is left of %s at a target of %p, when good events have replaced what left, is what the calendar says, seed %p',
  async (window, target, seed) => {
    const { body: slo } = await nines.call('POST', '/api/v1/slos', { ...checkout, target, time_window: window })
    const own = windowSeconds(window)
    const random = seeded(seed)
    type Counted = { resolution: Resolution; startSeconds: number; good: number; total: number }
    const put = (counted: Counted[]) =>
      nines.app.db.write.transaction().execute((trx) => {
        const rest = { sloId: slo.id, revision: 1, leadGood: 0, leadTotal: 0 }
        return putBuckets(
          trx,
          counted.map((one) => ({ ...one, ...rest, coveredSeconds: one.resolution })),
        )
      })
    const past = shapes[window].flatMap(([resolution, from, to]) =>
      Array.from({ length: (to - from) / resolution }, (_, at) => {
        const total = Math.floor(random() * 1000)
        const bad = random() < 0.2 ? Math.floor(random() * total) : 0
        return { resolution, startSeconds: endSeconds + from + at * resolution, good: total - bad, total }
      }),
    )
    await put(past)
    const sumAt = async (atSeconds: number) => {
      const span = { sloId: slo.id, revision: 1, startSeconds: atSeconds - own, endSeconds: atSeconds }
      const [sum] = await sumWindows(nines.app.db.read, [span], atSeconds)
      if (!sum) throw new Error('a window has a sum')
      return sum
    }
    const leftOf = ({ good, total }: { good: number; total: number }) => {
      const { ratio } = sliOfSum({ good, total, coveredSeconds: own }, own)
      return 100 - (errorBudget(ratio === null ? null : 100 * ratio, target).percentageUsed ?? 0)
    }

    const before = await sumAt(endSeconds)
    await evaluated(nines, slo.id, { own: (100 * before.good) / before.total })
    const { body: budget } = await nines.call('GET', `/api/v1/slos/${slo.id}/budget`)
    type Row = { ends_at: string; gives_back_percent: number; remaining_after_percent: number }
    const calendar: Row[] = budget.calendar
    expect(calendar.length).toBeGreaterThan(0)
    const sum = calendar.reduce((all, { gives_back_percent }) => all + gives_back_percent, 0)
    expect(sum).toBeCloseTo(budget.error_budget.percentage_used, 6)
    expect(calendar.at(-1)?.remaining_after_percent).toBe(100)
    for (const { ends_at, remaining_after_percent } of calendar) {
      const atSeconds = Date.parse(ends_at) / 1000
      const gone = before.total - (await sumAt(atSeconds)).total
      await put([{ resolution: minute, startSeconds: atSeconds - minute, good: gone, total: gone }])
      expect(remaining_after_percent).toBeCloseTo(leftOf(await sumAt(atSeconds)), 6)
    }
  },
)
