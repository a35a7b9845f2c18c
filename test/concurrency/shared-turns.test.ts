import { expect, test } from 'bun:test'
import { setImmediate as turn } from 'node:timers/promises'
import { createSharedTurns } from '../../src/concurrency/shared-turns.ts'

test('calls pass at once after a pause, and otherwise together at its end', async () => {
  const ends: (() => void)[] = []
  const pass = createSharedTurns(() => new Promise<void>((resolve) => void ends.push(resolve)))
  const passed: string[] = []
  const call = async (name: string) => {
    await pass()
    passed.push(name)
  }
  await call('first')
  void call('second')
  void call('third')
  await turn()
  expect(passed).toEqual(['first'])
  ends[0]?.()
  await turn()
  expect(passed).toEqual(['first', 'second', 'third'])
  void call('fourth') // within the pause that the second began
  await turn()
  expect([passed.length, ends.length]).toEqual([3, 2])
  ends[1]?.()
  await turn()
  expect([passed.length, ends.length]).toEqual([4, 3])
  ends[2]?.()
  await turn()
  await call('fifth')
  expect(ends).toHaveLength(4)
})
