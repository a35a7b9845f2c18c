import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { hourMs } from '../../../src/clock.ts'
import { isStale } from '../../../src/embedded/promql/reader.ts'
import type { SampleValue } from '../../../src/embedded/store/columns.ts'
import type { OutgoingBatch } from '../../../src/embedded/store/outgoing.ts'
import { labels, storeWorld } from './store-world.ts'

let world: ReturnType<typeof storeWorld>
beforeEach(() => {
  world = storeWorld()
})
afterEach(() => world.close())

const append = (job: string, timeMs: number, value: SampleValue, organizationId = 1) =>
  world.store().append(organizationId, labels({ job }), timeMs, value)

/** `organization job time value` of each sample of a batch. */
function samplesOf({ series, firstSamples, samples }: OutgoingBatch): string[] {
  return series.flatMap(({ organizationId, labels }, at) =>
    Array.from({ length: (firstSamples[at + 1] ?? 0) - (firstSamples[at] ?? 0) }, (_, offset) => {
      const index = (firstSamples[at] ?? 0) + offset
      const value = isStale(samples.values, index) ? 'stale' : samples.values[index]
      return `${organizationId} ${labels['job']} ${samples.timesMs[index]} ${value}`
    }),
  )
}

async function next(max = 100): Promise<string[] | undefined> {
  const batch = await world.store().nextOutgoing(max)
  return batch && samplesOf(batch)
}

/** Takes and acknowledges all that is to be sent. */
async function sendAll(max = 100): Promise<string[]> {
  const sent: string[] = []
  for (let batch = await world.store().nextOutgoing(max); batch; batch = await world.store().nextOutgoing(max)) {
    sent.push(...samplesOf(batch))
    await world.store().acknowledge(batch)
  }
  return sent
}

/** Everything before is packed, and nothing of it is left in the log. */
function emptyLog(): void {
  world.setNow(Number.MAX_SAFE_INTEGER)
  world.store().flush()
  world.setNow(0)
  expect(world.file().prepare('select count(*) from log').pluck().get()).toBe(0)
}

describe('samples in the log', () => {
  test('come once, from those written after the start on, whatever their time', async () => {
    append('a', 5000, 1)
    world.store().flush()
    expect(await next()).toBeUndefined()
    await world.store().startOutgoing()
    append('a', 6000, 2)
    append('b', 6000, 'stale', 2)
    append('a', 1000, 3)
    expect(await next()).toBeUndefined() // not on disk yet
    expect(world.store().outgoingSamples()).toBe(3)
    world.store().flush()
    expect(world.store().outgoingSamples()).toBe(3)
    expect(await sendAll()).toEqual(['1 a 1000 3', '1 a 6000 2', '2 b 6000 stale'])
    expect(world.store().outgoingSamples()).toBe(0)
    append('a', 7000, 4)
    world.store().flush()
    expect(await sendAll()).toEqual(['1 a 7000 4'])
  })

  test('come again unchanged until they are acknowledged, also after a kill', async () => {
    await world.store().startOutgoing()
    append('a', 1000, 1)
    world.store().flush()
    expect(await next()).toEqual(['1 a 1000 1'])
    append('a', 2000, 2)
    world.store().flush()
    expect(await next()).toEqual(['1 a 1000 1'])
    world.reopen()
    await world.store().startOutgoing()
    expect(await next()).toEqual(['1 a 1000 1'])
    expect(await sendAll()).toEqual(['1 a 1000 1', '1 a 2000 2'])
    world.reopen()
    await world.store().startOutgoing()
    expect(await next()).toBeUndefined()
  })

  test('come in batches of a bounded size, from within rows and over several', async () => {
    await world.store().startOutgoing()
    for (let row = 0; row < 4; row += 1) {
      for (let at = 0; at < 5; at += 1) append('a', row * 10 + at, row)
      world.store().flush()
    }
    const sizes: number[] = []
    for (let batch = await world.store().nextOutgoing(8); batch; batch = await world.store().nextOutgoing(8)) {
      sizes.push(batch.samples.length)
      await world.store().acknowledge(batch)
    }
    expect(sizes).toEqual([8, 8, 4])
  })

  test('do not come if they were of a series that is gone', async () => {
    world.close()
    world = storeWorld({ keepMs: 1000 })
    await world.store().startOutgoing()
    append('a', 0, 1)
    append('b', 9000, 1)
    world.store().flush()
    world.setNow(9000)
    await world.store().pruneOld()
    expect(await sendAll()).toEqual(['1 b 9000 1'])
  })
})

describe('samples that have left the log unsent', () => {
  test('come from the chunks, hour by hour, before those that are still in it', async () => {
    await world.store().startOutgoing()
    append('a', 3 * hourMs, 1)
    append('b', 3 * hourMs + 5, 2, 2)
    append('a', 10, 3)
    append('a', hourMs - 1, 4)
    world.store().flush()
    emptyLog()
    append('a', 4 * hourMs, 5)
    world.store().flush()
    expect(world.store().outgoingSamples()).toBe(5)
    expect(await sendAll()).toEqual([
      '1 a 10 3',
      `1 a ${hourMs - 1} 4`,
      `1 a ${3 * hourMs} 1`,
      `2 b ${3 * hourMs + 5} 2`,
      `1 a ${4 * hourMs} 5`,
    ])
    expect(world.store().outgoingSamples()).toBe(0)
  })

  test('do not come a second time as part of the batch that was under way', async () => {
    await world.store().startOutgoing()
    append('a', 1000, 1)
    world.store().flush()
    const underWay = await world.store().nextOutgoing(100)
    emptyLog()
    expect(underWay?.isCurrent()).toBe(false)
    if (underWay) await world.store().acknowledge(underWay)
    expect(await sendAll()).toEqual(['1 a 1000 1'])
  })

  test('of an hour that is being sent come after it, and nothing twice but that', async () => {
    await world.store().startOutgoing()
    append('a', 1000, 1)
    world.store().flush()
    emptyLog()
    const first = await world.store().nextOutgoing(100)
    append('a', 2000, 2)
    world.store().flush()
    emptyLog()
    if (first) await world.store().acknowledge(first)
    expect(await sendAll()).toEqual(['1 a 2000 2'])
  })

  test('of an hour come again after a kill within it', async () => {
    await world.store().startOutgoing()
    for (let series = 0; series < 30; series += 1) append(`${series}`, 1000, series)
    world.store().flush()
    emptyLog()
    const first = await world.store().nextOutgoing(10)
    expect(first?.series).toHaveLength(20)
    if (first) await world.store().acknowledge(first)
    world.reopen()
    await world.store().startOutgoing()
    expect(new Set(await sendAll()).size).toBe(30)
  })

  test('come without those whose chunk is damaged', async () => {
    await world.store().startOutgoing()
    for (const job of ['a', 'b', 'c']) append(job, 1000, 1)
    world.store().flush()
    emptyLog()
    world.file().exec("update chunks set samples = x'ffffffffff' where series_id = 2")
    expect(await sendAll()).toEqual(['1 a 1000 1', '1 c 1000 1'])
  })
})

test('no row of the log is numbered as one before', async () => {
  await world.store().startOutgoing()
  for (let round = 1; round <= 3; round += 1) {
    append('a', round, round)
    world.store().flush()
    expect(await sendAll()).toEqual([`1 a ${round} ${round}`])
    emptyLog()
    world.reopen()
    await world.store().startOutgoing()
  }
})

test('once sending has ended, what was not sent is forgotten', async () => {
  await world.store().startOutgoing()
  append('a', 1, 1)
  world.store().flush()
  emptyLog()
  append('a', 2, 2)
  world.store().flush()
  await world.store().endOutgoing()
  expect(await next()).toBeUndefined()
  await world.store().startOutgoing()
  expect(await next()).toBeUndefined()
})

type Step = { kind: 'append' | 'flush' | 'empty' | 'take' | 'send' | 'kill'; at: number; count: number }

test('whatever is appended, packed, killed and not acknowledged: every sample on disk comes at least once', async () => {
  const step = fc.record<Step>({
    kind: fc.constantFrom('append', 'append', 'append', 'flush', 'flush', 'empty', 'take', 'send', 'send', 'kill'),
    at: fc.integer({ min: 0, max: 10_000 }),
    count: fc.integer({ min: 1, max: 30 }),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      world.close()
      world = storeWorld()
      await world.store().startOutgoing()
      let value = 0
      let waiting: string[] = []
      const onDisk = new Set<string>()
      const sent = new Set<string>()
      const flushed = () => {
        for (const one of waiting) onDisk.add(one)
        waiting = []
      }
      for (const { kind, at, count } of steps) {
        if (kind === 'append') {
          for (let index = 0; index < count; index += 1) {
            value += 1
            const timeMs = at * 2048 + value // none comes twice
            append(`${index % 7}`, timeMs, value, 1 + (index % 2))
            waiting.push(`${1 + (index % 2)} ${index % 7} ${timeMs} ${value}`)
          }
        } else if (kind === 'flush' || kind === 'empty') {
          world.store().flush()
          flushed()
          if (kind === 'empty') emptyLog()
        } else if (kind === 'kill') {
          world.reopen()
          waiting = []
          await world.store().startOutgoing()
        } else {
          const batch = await world.store().nextOutgoing(count)
          if (!batch || kind === 'take') continue
          for (const one of samplesOf(batch)) sent.add(one)
          await world.store().acknowledge(batch)
        }
      }
      world.store().flush()
      flushed()
      for (const one of await sendAll()) sent.add(one)
      expect(onDisk.difference(sent)).toEqual(new Set())
      expect(sent.difference(onDisk)).toEqual(new Set())
    }),
    { numRuns: 150 },
  )
})
