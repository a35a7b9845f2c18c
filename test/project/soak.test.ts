import { describe, expect, test } from 'bun:test'
import { laterThan } from '../../scripts/soak/lag.ts'
import { createJournal } from '../../scripts/soak/journal.ts'
import { assessDelivery } from '../../scripts/soak/notifications.ts'
import { slopePerHour } from '../../scripts/soak/sampler.ts'
import type { World } from '../chaos/world.ts'

describe('the journal of a soak', () => {
  /** A journal entry whose state nines reports, and the result of reading it again. */
  async function journalOf(change: (says: (state: string) => void) => Promise<boolean | null>) {
    let stored = 'a'
    const journal = createJournal()
    const entry = journal.add('SLO 1', 'a', async () => stored)
    await journal.change(entry, 'b', () => change((state) => void (stored = state)))
    await journal.verify()
    return journal.lost
  }

  test('an acknowledged change that is not there is lost', async () => {
    expect(await journalOf(async () => true)).toEqual(['SLO 1 is a, not b'])
  })

  test('an acknowledged change that is there is not', async () => {
    expect(await journalOf(async (says) => (says('b'), true))).toEqual([])
  })

  test.each(['a', 'b'])('a change whose answer never came may have been made or not: %s', async (state) => {
    expect(await journalOf(async (says) => (says(state), null))).toEqual([])
  })

  test('a change that was refused and is there all the same is wrong', async () => {
    expect(await journalOf(async (says) => (says('b'), false))).toEqual(['SLO 1 is b, not a'])
  })

  test('what nines does not answer is read the next time', async () => {
    const journal = createJournal()
    journal.add('SLO 1', 'a', async () => null)
    await journal.verify()
    expect([journal.lost, journal.checked()]).toEqual([[], 0])
  })
})

describe('the notifications of a soak', () => {
  const organization = { name: 'first', token: 't', sourceId: 1, channelId: 1, sloIds: new Map() }
  const taken = (key: string, atMs: number) => ({ event: 'manual', key, subject: key, atMs })

  async function assessed(
    statuses: Record<string, string>,
    arrivals: World['around']['taken'],
    interruptions: number[],
  ) {
    const notifications = Object.entries(statuses).map(([idempotency_key, status], id) => ({
      id,
      status,
      idempotency_key,
    }))
    const nines = { call: async () => ({ body: { notifications } }) }
    const world = { around: { taken: arrivals }, nines: () => nines } as unknown as World
    return assessDelivery(world, [organization], new Set(['a', 'b']), interruptions)
  }

  test('one that failed, or is delivered and did not arrive, is lost', async () => {
    const { lost } = await assessed({ a: 'delivered', b: 'failed' }, [taken('b', 0)], [])
    expect(lost).toEqual([
      'notification 0 is delivered, and did not arrive',
      'notification 1 is failed, and did not arrive',
      '"a" did not arrive',
    ])
  })

  test('one that came twice is repeated, unless something interrupted nines in between', async () => {
    const twice = [taken('a', 0), taken('b', 0), taken('a', 50_000)]
    const all = { a: 'delivered', b: 'delivered' }
    expect((await assessed(all, twice, [])).repeated).toEqual(['a came again after 50.0 s'])
    expect(await assessed(all, twice, [20_000])).toMatchObject({ repeated: [], repeatedAcrossInterruption: 1 })
  })
})

test('a slope is what grows in an hour, by least squares', () => {
  const points = [0, 1, 2, 3].map((minute) => ({ seconds: minute * 60, value: 100 + minute / 6 + (minute % 2) }))
  expect(slopePerHour(points.slice(0, 2))).toBeNull()
  expect(slopePerHour(points.map(({ seconds }) => ({ seconds, value: seconds / 360 })))).toBeCloseTo(10)
  expect(slopePerHour(points)).toBeCloseTo(22)
})

test('how often the event loop was late is read off the histogram of each life', () => {
  const lag = (atMost: number, all: number) =>
    new Map([
      [0.25, atMost],
      [Infinity, all],
    ])
  expect(laterThan(0.25, [lag(90, 100), lag(5, 5)])).toBe(10)
})
