import { afterEach, expect, test } from 'bun:test'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { createSeriesWriter } from '../../../src/embedded/collection/series/series-writer.ts'
import type { Label } from '../../../src/embedded/exposition/sample.ts'
import { defaultLabelLimits } from '../../../src/embedded/store/labels.ts'
import { closeAll, closeLater } from '../../support/closing.ts'
import { labels, samplesIn, select, storeWorld, where } from '../store/store-world.ts'
import { collectedWorld } from './collected-world.ts'

afterEach(closeAll)

const many = 10_000
const ofTarget: Label[] = [['job', 'j']]
const fine = new AbortController().signal

const samples = (count: number, value: number) =>
  Array.from({ length: count }, (_, place) => {
    return { labels: labels({ place: String(place) }), value, timestampMs: undefined }
  })

function muchWritten(seriesPerOrganization = 100_000) {
  const world = collectedWorld({ limits: { ...defaultLabelLimits, seriesPerOrganization } })
  closeLater(world.close)
  const store = world.store()
  world.setNow(1000)
  const writer = createSeriesWriter({ store, clock: world.clock, organizationId: 1, labels: ofTarget })
  const at = (timeMs: number, place = '.*') =>
    select(store, 1, [where('place', '=~', place)], timeMs, timeMs).flatMap((series) => samplesIn(series))
  /** Value of the first and the last of many series. */
  const ends = (timeMs: number) => at(timeMs, `0|${many - 1}`)
  return { world, store, writer, at, ends }
}

/** Values that readers see in every turn while the work goes on, without repetitions. */
async function seenDuring(work: Promise<unknown> | void, look: () => number): Promise<number[]> {
  const state = { isOver: false }
  void Promise.resolve(work).finally(() => (state.isOver = true))
  const seen = new Set([look()])
  while (!state.isOver) {
    await yieldToEventLoop()
    seen.add(look())
  }
  return [...seen]
}

test('of a scrape that takes many turns to write nothing is seen before all of it is there', async () => {
  const { world, writer, at, ends } = muchWritten()
  expect(await seenDuring(writer.writeCooperatively(samples(many, 1), 1000, fine), () => ends(1000).length)).toEqual([
    0, 2,
  ])
  world.setNow(2000)
  expect(await seenDuring(writer.writeCooperatively(samples(many, 2), 2000, fine), () => ends(2000).length)).toEqual([
    0, 2,
  ])
  world.setNow(3000)
  const ended = () => ends(3000).filter(([, value]) => value === 'stale').length
  expect(await seenDuring(writer.writeCooperatively([], 3000, fine), ended)).toEqual([0, 2])
  expect(at(1000)).toHaveLength(many)
})

test('the end of many series is seen of all at once', async () => {
  const { world, writer, ends } = muchWritten()
  await writer.writeCooperatively(samples(many, 1), 1000, fine)
  world.setNow(2000)
  expect(await seenDuring(writer.end(2000), () => ends(2000).length)).toEqual([0, 2])
})

test('what ends while it is being written is written, and then ended', async () => {
  const { world, writer, at } = muchWritten()
  await writer.writeCooperatively(samples(many, 1), 1000, fine)
  world.setNow(2000)
  const writing = writer.writeCooperatively(samples(many, 2), 2000, fine)
  await Promise.all([writing, writer.end(3000)])
  expect(at(2000)).toHaveLength(many)
  expect(at(3000).filter(([, value]) => value === 'stale')).toHaveLength(many)
})

test('a scrape that is given up before anything of it is written leaves nothing', async () => {
  const { store, writer, at } = muchWritten()
  const controller = new AbortController()
  const writing = writer.writeCooperatively(samples(many, 1), 1000, controller.signal)
  controller.abort(new Error('gone'))
  expect(writing).rejects.toThrow('gone')
  await writing.catch(() => {})
  expect(at(1000)).toEqual([])
  expect(store.usedBy(1).series).toBe(0)
})

test('two scrapes at once that only one has room for: one is there, and of the other nothing', async () => {
  const { world, store, writer, at } = muchWritten(many + 10)
  const ofOther: Label[] = [['job', 'other']]
  const other = createSeriesWriter({ store, clock: world.clock, organizationId: 1, labels: ofOther })
  const outcomes = await Promise.allSettled(
    [writer, other].map(async (one) => one.writeCooperatively(samples(many, 1), 1000, fine)),
  )
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  expect(at(1000)).toHaveLength(many)
  expect(store.usedBy(1).series).toBe(many)
})

test('what is flushed in turns, while more comes, is there after a kill', async () => {
  const world = storeWorld()
  closeLater(world.close)
  const all = Array.from({ length: many }, (_, place) => labels({ place: String(place) }))
  const append = (timeMs: number) => all.forEach((one) => world.store().append(1, one, timeMs, 1))
  for (let timeMs = 0; timeMs < 5; timeMs += 1) append(timeMs)
  const flushing = world.store().flushCooperatively()
  append(5)
  await flushing
  await world.store().flushCooperatively()
  world.reopen()
  const kept = select(world.store(), 1, [], 0, 10).map(({ timesMs }) => timesMs.length)
  expect(kept).toEqual(all.map(() => 6))
})
