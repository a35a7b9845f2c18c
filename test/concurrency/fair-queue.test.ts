import { expect, test } from 'bun:test'
import { createFairQueue } from '../../src/concurrency/fair-queue.ts'

/** Tasks named `GROUP-N` that run until the test ends them. */
function world(options: { max: number; maxOfGroup: number }) {
  const queue = createFairQueue<number>(options)
  const running = new Map<string, () => void>()
  return {
    running: () => [...running.keys()],
    async add(group: number, ...names: string[]) {
      for (const name of names) {
        void queue.run(group, async () => {
          const { promise, resolve } = Promise.withResolvers<void>()
          running.set(name, resolve)
          await promise
        })
      }
      await new Promise((resolve) => setImmediate(resolve))
    },
    async end(name: string) {
      running.get(name)?.()
      running.delete(name)
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
}

test('tasks of a group run in their order, so many at once', async () => {
  const { add, end, running } = world({ max: 9, maxOfGroup: 2 })
  await add(1, '1-1', '1-2', '1-3', '1-4')
  expect(running()).toEqual(['1-1', '1-2'])
  await end('1-2')
  expect(running()).toEqual(['1-1', '1-3'])
  await add(2, '2-1')
  expect(running()).toEqual(['1-1', '1-3', '2-1'])
})

test('a free place goes to the group with the fewest, and among equals to each in turn', async () => {
  const { add, end, running } = world({ max: 3, maxOfGroup: 3 })
  await add(1, '1-1', '1-2', '1-3', '1-4', '1-5')
  await add(2, '2-1', '2-2')
  await add(3, '3-1', '3-2')
  await end('1-1')
  await end('1-2')
  expect(running()).toEqual(['1-3', '2-1', '3-1'])
  await end('1-3')
  expect(running()).toEqual(['2-1', '3-1', '1-4'])
  await end('2-1')
  await end('3-1')
  expect(running()).toEqual(['1-4', '2-2', '3-2'])
})

test('a group that has not had a turn comes before those that have, also if its task came last', async () => {
  const { add, end, running } = world({ max: 2, maxOfGroup: 1 })
  await add(1, '1-1', '1-2', '1-3')
  await add(2, '2-1', '2-2', '2-3')
  await add(3, '3-1')
  await end('1-1')
  expect(running()).toEqual(['2-1', '3-1'])
  await end('2-1')
  await end('3-1')
  expect(running()).toEqual(['1-2', '2-2'])
})

test('all come to their end', async () => {
  const { add, end, running } = world({ max: 2, maxOfGroup: 1 })
  const seen = new Set<string>()
  for (const group of [1, 2, 3]) await add(group, `${group}-1`, `${group}-2`, `${group}-3`)
  for (let [name] = running(); name !== undefined; [name] = running()) {
    seen.add(name)
    expect(running().length).toBeLessThanOrEqual(2)
    await end(name)
  }
  expect(seen.size).toBe(9)
})

test('a task that gives up waiting is not begun, and the others of its group are', async () => {
  const queue = createFairQueue<string>({ max: 1, maxOfGroup: 1 })
  const leave = await queue.enter('a')
  const impatient = new AbortController()
  const given = queue.run('b', async () => 'begun', impatient.signal)
  const patient = queue.run('b', async () => 'patient')
  impatient.abort(new Error('too late'))
  await expect(given).rejects.toThrow('too late')
  leave()
  expect(await patient).toBe('patient')
})

test('a place is given back once, however often that is said', async () => {
  const queue = createFairQueue<string>({ max: 1, maxOfGroup: 1 })
  const leave = await queue.enter('a')
  leave()
  const held = await queue.enter('b')
  leave()
  expect(queue.size).toBe(1)
  held()
  expect(queue.size).toBe(0)
})

test('drain waits for what runs, for what waits and for what comes before both have ended', async () => {
  const queue = createFairQueue<string>({ max: 1, maxOfGroup: 1 })
  const ended: string[] = []
  const task = (name: string) => async () => {
    await Bun.sleep(1)
    ended.push(name)
  }
  void queue.run('a', task('runs'))
  void queue.run('b', async () => {
    await task('waits')()
    void queue.run('a', task('comes later'))
  })
  await queue.drain()
  expect(ended).toEqual(['runs', 'waits', 'comes later'])
  await queue.drain()
})

test('the size of a group is what runs and what waits of it', async () => {
  const queue = createFairQueue<number>({ max: 1, maxOfGroup: 1 })
  const [first, second, other] = [queue.enter(1), queue.enter(1), queue.enter(2)]
  expect([1, 2, 3].map((group) => queue.sizeOf(group))).toEqual([2, 1, 0])
  for (const entered of [first, other, second]) (await entered)()
  expect([1, 2].map((group) => queue.sizeOf(group))).toEqual([0, 0])
})
