import { afterEach, beforeEach, expect, jest, test } from 'bun:test'
import { createBatchWriter } from '../../src/db/batch-writer.ts'

/** A writer of numbers. `batches`: as they were written or refused. */
function writerOf(options: Partial<Parameters<typeof createBatchWriter<number>>[0]> = {}) {
  const batches: number[][] = []
  const disk = { refusal: null as Error | null, isSlow: false, ended: Promise.withResolvers<void>() }
  const write = async (batch: number[]) => {
    batches.push(batch)
    if (disk.isSlow) await disk.ended.promise
    if (disk.refusal) throw disk.refusal
  }
  return { ...options, disk, batches, writer: createBatchWriter<number>({ write, delayMs: 100, ...options }) }
}

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

/** Advances the timers, and lets what they started go on. */
async function advance(ms: number) {
  jest.advanceTimersByTime(ms)
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve()
}

test('what is added within the delay is one batch in the order of arrival, and what waits already keeps its place', async () => {
  const { writer, batches } = writerOf()
  for (const item of [1, 2, 3, 1]) expect(writer.add(item)).toBe(true)
  await advance(99)
  expect([batches, writer.size]).toEqual([[], 3])
  await advance(1)
  expect([batches, writer.size]).toEqual([[[1, 2, 3]], 0])
  await advance(1000)
  expect(batches).toHaveLength(1)
})

test('writing can be started sooner, and a later start puts it off no more', async () => {
  const { writer, batches } = writerOf()
  writer.add(1)
  writer.start(10)
  await advance(5)
  writer.start(10)
  await advance(5)
  expect(batches).toEqual([[1]])
  writer.add(2)
  writer.start(0)
  expect(batches).toEqual([[1], [2]])
})

test('a batch takes what has room in it, or one item that is too large', async () => {
  jest.useRealTimers()
  const { writer, batches } = writerOf({ shareOf: (item) => item / 10 })
  for (const item of [5, 4, 3, 25, 1, 9]) writer.add(item)
  await writer.flush()
  expect(batches).toEqual([[5, 4], [3], [25], [1, 9]])
})

test('a flush waits for all that was added before it, and not for what comes later', async () => {
  const { writer, batches, disk } = writerOf()
  disk.isSlow = true
  writer.add(1)
  const first = writer.flush()
  writer.add(2)
  const flushed: string[] = []
  const flushes = ['one', 'other'].map((name) => writer.flush().then(() => flushed.push(name)))
  writer.add(3)
  expect(batches).toEqual([[1]])
  disk.isSlow = false
  disk.ended.resolve()
  await first
  await Promise.all(flushes)
  expect([batches, flushed]).toEqual([
    [[1], [2, 3]],
    ['one', 'other'],
  ])
  writer.add(4)
  expect([batches.length, writer.size]).toEqual([2, 1])
})

test('a refused batch is kept in front of the rest, and tried again by a flush or after five seconds', async () => {
  const errors: unknown[] = []
  const { writer, batches, disk } = writerOf({ onError: (error) => errors.push(error) })
  disk.refusal = new Error('full')
  writer.add(1)
  await advance(100)
  expect([writer.isHolding, errors]).toEqual([true, [disk.refusal]])
  writer.add(2)
  writer.start(0)
  await advance(4999)
  expect([batches, writer.size]).toEqual([[[1]], 2])
  await advance(1)
  expect([batches.length, errors.length]).toEqual([2, 2])
  await expect(writer.flush()).rejects.toThrow('full')
  expect([batches.length, errors.length, writer.isHolding]).toEqual([3, 2, true])
  disk.refusal = null
  await advance(5000)
  expect([batches.at(-1), writer.isHolding, writer.size]).toEqual([[1, 2], false, 0])
})

test('what need not be written any more is not kept', async () => {
  const needed = new Set([1, 2, 3])
  const { writer, batches, disk } = writerOf({ isNeeded: (item) => needed.has(item) })
  disk.refusal = new Error('full')
  for (const item of needed) writer.add(item)
  needed.delete(2)
  await writer.flush().catch(() => {})
  disk.refusal = null
  await writer.flush()
  expect(batches).toEqual([
    [1, 2, 3],
    [1, 3],
  ])
})

test('a drained writer has written what waited, and takes no more', async () => {
  const { writer, batches } = writerOf()
  writer.add(1)
  const drained = writer.drain()
  expect(writer.add(2)).toBe(false)
  await drained
  await advance(1000)
  expect([batches, writer.size]).toEqual([[[1]], 0])
})

test('what is refused at the end is reported, and not tried again', async () => {
  const errors: unknown[] = []
  const { writer, batches, disk } = writerOf({ onError: (error) => errors.push(error) })
  disk.refusal = new Error('full')
  writer.add(1)
  await writer.drain()
  await advance(10_000)
  expect([batches.length, errors]).toEqual([1, [disk.refusal]])
})
