import { afterEach, beforeEach, expect, test } from 'bun:test'
import { sumUpRetiredBuckets } from '../../src/ledger/retired-store.ts'
import type { Resolution } from '../../src/ledger/bucket.ts'
import { listBuckets, putBuckets } from '../../src/ledger/ledger-store.ts'
import { type TestApp, testApp, testStartMs } from '../support/app.ts'
import { checkout } from '../support/slo-calls.ts'
import { bucket } from '../ledger/ledger.ts'

const minute = 60
const hour = 3600
const day = 86_400
const now = testStartMs / 1000 // 10:00:00
const midnight = now - 10 * hour

let nines: TestApp
beforeEach(async () => {
  nines = await testApp({ env: { SOURCE_URL: 'http://127.0.0.1:9' } })
  await nines.join('ada')
  await nines.call('POST', '/api/v1/slos', checkout)
})
afterEach(() => nines.close())

/** Stores minutes with 60 events each, except the first, which is missing. */
async function putMinutes(startSeconds: number, endSeconds: number, revision = 1, sloId = 1): Promise<void> {
  const starts = Array.from({ length: (endSeconds - startSeconds) / minute }, (_, n) => startSeconds + n * minute)
  const counted = { good: 59, total: 60, leadGood: 3, leadTotal: 4 }
  await putBuckets(
    nines.app.db.write,
    starts.map((start, n) =>
      bucket({ sloId, revision, startSeconds: start, ...(n === 0 ? { coveredSeconds: 0 } : counted) }),
    ),
  )
}

const edit = () => nines.call('PUT', '/api/v1/slos/1', { metric_query: 'up' })
const read = (resolution: Resolution, revision = 1, sloId = 1) =>
  listBuckets(nines.app.db.read, { sloId, revision, resolution, startSeconds: 0, endSeconds: 1e11 })

async function sumUpAfter(seconds: number): Promise<void> {
  nines.clock.advance(seconds * 1000)
  await sumUpRetiredBuckets(nines.app)
}

test('the last hour of an edited query is closed with the minutes it has, once it has ended', async () => {
  await putBuckets(nines.app.db.write, [bucket({ resolution: hour, startSeconds: now - hour, total: 7 })])
  await putMinutes(now - 2 * hour, now)
  await putMinutes(now, now + 1800)
  await edit()
  await sumUpAfter(hour + 599)
  expect(await read(hour)).toHaveLength(1)
  await sumUpAfter(1)
  expect(await read(hour)).toMatchObject([
    { startSeconds: now - hour, total: 7 },
    { startSeconds: now, good: 29 * 59, total: 29 * 60, coveredSeconds: 1740, leadGood: 3, leadTotal: 4 },
  ])
})

test('its last day is closed with its hours', async () => {
  await putMinutes(midnight + 8 * hour, now + 1800)
  await edit()
  await sumUpAfter(14 * hour + 599)
  expect(await read(day)).toEqual([])
  await sumUpAfter(1)
  const minutes = 150 - 1
  const sum = { good: minutes * 59, total: minutes * 60, coveredSeconds: minutes * 60, leadGood: 3, leadTotal: 4 }
  expect(await read(day)).toEqual([{ startSeconds: midnight, ...sum }])
})

test('that of a deleted SLO is too, once, and that of one that is measured is left to its source', async () => {
  await nines.call('POST', '/api/v1/slos', { ...checkout, name: 'Search' })
  await putMinutes(now, now + 1800)
  await putMinutes(now, now + 1800, 1, 2)
  await nines.call('DELETE', '/api/v1/slos/2')
  await sumUpAfter(2 * hour)
  await sumUpAfter(hour)
  expect(await read(hour)).toEqual([])
  expect(await read(hour, 1, 2)).toMatchObject([{ startSeconds: now, total: 29 * 60 }])
})

test('an hour of which nothing is known is closed as such', async () => {
  await putMinutes(now, now + minute)
  await edit()
  await sumUpAfter(2 * hour)
  const nothing = { good: 0, total: 0, coveredSeconds: 0, leadGood: 0, leadTotal: 0 }
  expect(await read(hour)).toEqual([{ startSeconds: now, ...nothing }])
})

test('many go in steps, all of them', async () => {
  for (let n = 2; n <= 50; n += 1) {
    await nines.call('POST', '/api/v1/slos', { ...checkout, name: `s${n}` })
    await putMinutes(now, now + 600, 1, n)
    await nines.call('DELETE', `/api/v1/slos/${n}`)
  }
  await sumUpAfter(2 * hour)
  for (let n = 2; n <= 50; n += 1) expect(await read(hour, 1, n)).toHaveLength(1)
})
