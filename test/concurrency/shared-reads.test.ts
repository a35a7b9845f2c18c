import { expect, test } from 'bun:test'
import { createSharedReads } from '../../src/concurrency/shared-reads.ts'

/** Reads that the test ends; each returns the version committed at its start. */
function world() {
  const state = { version: 1, reads: 0 }
  const ends: (() => void)[] = []
  const share = createSharedReads<number>(() => state.version)
  const ask = (key = 1) =>
    share(key, async () => {
      state.reads += 1
      const { version } = state
      await new Promise<void>((resolve) => ends.push(resolve))
      return version
    })
  const endOne = async () => {
    ends.shift()?.()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { state, ask, endOne }
}

test('a read is shared by all who ask before something is committed', async () => {
  const { state, ask, endOne } = world()
  const asked = [ask(), ask(), ask()]
  await endOne()
  expect([await Promise.all(asked), state.reads]).toEqual([[1, 1, 1], 1])
})

test('who asks after a commit waits for the read before it, and shares the next', async () => {
  const { state, ask, endOne } = world()
  const before = ask()
  state.version = 2
  const after = [ask(), ask()]
  expect(state.reads).toBe(1)
  await endOne()
  await endOne()
  expect([await before, await Promise.all(after), state.reads]).toEqual([1, [2, 2], 2])
})

test('reads under other keys wait for none', async () => {
  const { state, ask, endOne } = world()
  const asked = [ask(1), ask(2)]
  expect(state.reads).toBe(2)
  await endOne()
  await endOne()
  expect(await Promise.all(asked)).toEqual([1, 1])
})

test('a read that fails fails for those who share it, and the next one begins anew', async () => {
  const share = createSharedReads<number>(() => 1)
  const fails = async (): Promise<number> => {
    throw new Error('no good')
  }
  const asked = await Promise.allSettled([share(1, fails), share(1, async () => 2)])
  expect(asked.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await share(1, async () => 3)).toBe(3)
})
