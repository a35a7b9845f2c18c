import { expect, test } from 'bun:test'
import { collectGarbageAsItGrows, hasRoomFor, orLastKnown } from '../../src/concurrency/memory.ts'

const megabyte = 1_000_000
const memory = (used: () => number) => ({ usedBytes: () => used() * megabyte, limitBytes: () => 500 * megabyte })

test('there is room for what fits with some to spare', async () => {
  expect(
    await hasRoomFor(
      200 * megabyte,
      memory(() => 200),
    ),
  ).toBe(true)
  expect(await hasRoomFor(1000)).toBe(true)
})

test('what others free in time is room', async () => {
  const used = [400, 200]
  expect(
    await hasRoomFor(
      200 * megabyte,
      memory(() => used.shift() ?? 0),
    ),
  ).toBe(true)
})

test('there is none where nothing is freed', async () => {
  expect(
    await hasRoomFor(
      200 * megabyte,
      memory(() => 300),
    ),
  ).toBe(false)
})

test('garbage is collected once for each growth of 64 MB', () => {
  const used = [100, 150, 170, 120, 180, 190, 90, 150, 160]
  const collectedAt: number[] = []
  let now = 0
  const check = collectGarbageAsItGrows({ usedBytes: () => (now = used.shift() ?? 0) * megabyte }, () =>
    collectedAt.push(now),
  )
  while (used.length > 0) check()
  expect(collectedAt).toEqual([170, 190, 160])
})

test('a number that cannot be read is the one read last', () => {
  let value: number | null = null
  const read = orLastKnown(() => value ?? expect.unreachable())
  expect(read()).toBe(0)
  value = 5
  expect(read()).toBe(5)
  value = null
  expect(read()).toBe(5)
})
