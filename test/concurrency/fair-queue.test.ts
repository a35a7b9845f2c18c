import { expect, test } from 'bun:test'
import { createFairQueue } from '../../src/concurrency/fair-queue.ts'

/** Tasks named `GROUP-N` that run until they are ended. */
function world(options: { most: number; maxOfGroup: number }) {
  const turns = createFairQueue(options)
  const running = new Map<string, () => void>()
  return {
    running: () => [...running.keys()],
    add(group: number, ...names: string[]) {
      for (const name of names) {
        turns.add(group, async () => {
          const { promise, resolve } = Promise.withResolvers<void>()
          running.set(name, resolve)
          await promise
        })
      }
    },
    async end(name: string) {
      running.get(name)?.()
      running.delete(name)
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
}

test('tasks of a group run in their order, so many at once', async () => {
  const { add, end, running } = world({ most: 9, maxOfGroup: 2 })
  add(1, '1-1', '1-2', '1-3', '1-4')
  expect(running()).toEqual(['1-1', '1-2'])
  await end('1-2')
  expect(running()).toEqual(['1-1', '1-3'])
  add(2, '2-1')
  expect(running()).toEqual(['1-1', '1-3', '2-1'])
})

test('a free place goes to the group with the fewest, and among equals to each in turn', async () => {
  const { add, end, running } = world({ most: 3, maxOfGroup: 3 })
  add(1, '1-1', '1-2', '1-3', '1-4', '1-5')
  add(2, '2-1', '2-2')
  add(3, '3-1', '3-2')
  await end('1-1')
  await end('1-2')
  expect(running()).toEqual(['1-3', '2-1', '3-1'])
  await end('1-3')
  expect(running()).toEqual(['2-1', '3-1', '1-4'])
  await end('2-1')
  await end('3-1')
  expect(running()).toEqual(['1-4', '2-2', '3-2'])
})

test('all come to their end', async () => {
  const { add, end, running } = world({ most: 2, maxOfGroup: 1 })
  const seen = new Set<string>()
  for (const group of [1, 2, 3]) add(group, `${group}-1`, `${group}-2`, `${group}-3`)
  for (let [name] = running(); name !== undefined; [name] = running()) {
    seen.add(name)
    expect(running().length).toBeLessThanOrEqual(2)
    await end(name)
  }
  expect(seen.size).toBe(9)
})
