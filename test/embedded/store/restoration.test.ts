import { expect, test } from 'bun:test'
import type { SampleStore } from '../../../src/embedded/store/sample-store.ts'
import { restoreInBackground } from '../../../src/embedded/store/restoration.ts'
import { labels, samplesIn, select, storeWorld, where } from './store-world.ts'

const count = 500
const matchers = [{ name: '__name__', operator: '=' as const, value: 'm', fitsEmpty: false }]

/** A reopened store with `count` series of three samples each in its log. */
function reopened() {
  const world = storeWorld()
  for (let round = 1; round <= 3; round += 1) {
    for (let host = 0; host < count; host += 1) world.store().append(1, labels({ host: `${host}` }), round, host)
    world.store().flush()
  }
  world.reopen()
  return world
}

const all = (store: SampleStore) => select(store, 1, [where('__name__', '=', 'm')], 0, 10)

async function found(store: SampleStore): Promise<number> {
  let series = 0
  for await (const { ids } of store.find(1, { matchers, fromMs: 0, toMs: 10 }, async () => new Uint8Array())) {
    series += ids.length
  }
  return series
}

test.each<[string, (store: SampleStore) => unknown, unknown]>([
  ['find', found, count],
  ['label values', (store) => [...store.labelValues(1, 'host')].length, count],
  ['label names', (store) => [...store.labelNames(1)].length, 2],
  ['the series in use', (store) => [store.usedBy(1).series, store.maxUsed().series], [count, count]],
  ['the oldest time', (store) => store.oldestOf(1), 1],
  ['the place of a series', (store) => store.refOf(1, labels({ host: '499' })).id, count],
])('%s is answered with all that was there before, also as the first question', async (_, ask, expected) => {
  const world = reopened()
  expect(await ask(world.store())).toEqual(expected)
  world.close()
})

test('`whenFilled` reads the series while yielding to the event loop', async () => {
  const world = reopened()
  let isFilled = false
  const filling = world
    .store()
    .whenFilled()
    .then(() => (isFilled = true))
  await Promise.resolve()
  expect(isFilled).toBe(false)
  await filling
  expect(world.store().usedBy(1).series).toBe(count)
  world.close()
})

test('what comes first after an opening is added to what was there', () => {
  const world = reopened()
  world.store().append(1, labels({ host: '7' }), 4, 70)
  world.store().append(1, labels({ host: 'another' }), 4, 71)
  world.store().flush()
  world.reopen()
  expect(world.store().usedBy(1).series).toBe(count + 1)
  const [seven] = select(world.store(), 1, [where('host', '=', '7')], 0, 10)
  expect(seven && samplesIn(seven)).toEqual([
    [1, 7],
    [2, 7],
    [3, 7],
    [4, 70],
  ])
  world.close()
})

test('a look at few series is left to a worker until all of them are there, which takes some turns of the loop', async () => {
  const world = reopened()
  const look = () =>
    world
      .store()
      .selectSmall(1, [where('host', '=', '7')], 0, 10, { series: 10, samples: 100, patternSteps: 1000, chunks: 10 })
  expect(look()).toBeUndefined()
  await world.store().flushCooperatively()
  expect(look()?.flatMap(samplesIn)).toHaveLength(3)
  world.close()
})

test('a store that is closed at once loses nothing', async () => {
  const world = reopened()
  world.store().close()
  await Bun.sleep(5)
  world.reopen()
  expect(all(world.store()).flatMap(samplesIn)).toHaveLength(3 * count)
  world.close()
})

test('a file that cannot be read is refused by the opening', () => {
  const world = reopened()
  world.file().prepare('update series set labels = \'[["a",\' where id = 400').run()
  expect(() => world.reopen()).toThrow('labels of a series are damaged')
  world.close()
})

test('what fails behind the opening fails for all who need it', async () => {
  const { finish, finishCooperatively, isOver } = restoreInBackground(
    {},
    (function* () {
      yield
      throw new Error('broken')
    })(),
  )
  expect(finish).toThrow('broken')
  expect(finish).toThrow('broken')
  expect(await finishCooperatively().catch(String)).toBe('Error: broken')
  expect(isOver()).toBe(false)
})
