import { expect, test } from 'bun:test'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { createLargeBodies } from '../../../src/http/outbound/large-bodies.ts'

const never = new AbortController().signal

/** Limits of three bodies of one byte, two per organization. */
function opened({ timeoutMs = 60_000 } = {}) {
  const { acquire } = createLargeBodies({ maxBytes: 3, maxBytesOfOrganization: 2, timeoutMs })
  const entered: string[] = []
  const revoked: string[] = []
  const leaves = new Map<string, () => void>()
  const come = async (name: string, organizationId: number, { bytes = 1, signal = never } = {}) => {
    leaves.set(name, await acquire(organizationId, bytes, signal, () => void revoked.push(name)))
    entered.push(name)
  }
  const leave = async (name: string) => {
    leaves.get(name)?.()
    await yieldToEventLoop()
  }
  return { come, leave, entered, revoked }
}

test('so many are read at once, and the next when one has ended', async () => {
  const { come, leave, entered } = opened()
  const all = [come('a', 1), come('b', 2), come('c', 3), come('d', 4)]
  await Promise.all(all.slice(0, 3))
  expect(entered).toEqual(['a', 'b', 'c'])
  await leave('b')
  expect(entered).toEqual(['a', 'b', 'c', 'd'])
})

test('an organization leaves room for another', async () => {
  const { come, leave, entered } = opened()
  await Promise.all([come('a', 1), come('b', 1)])
  void come('c', 1)
  await come('other', 2)
  expect(entered).toEqual(['a', 'b', 'other'])
  await leave('a')
  expect(entered).toEqual(['a', 'b', 'other', 'c'])
})

test('room goes to the organization that has none', async () => {
  const { come, leave, entered } = opened()
  await Promise.all([come('a', 1), come('b', 1), come('c', 2)])
  void come('d', 2)
  void come('e', 3)
  await leave('a')
  expect(entered.at(-1)).toBe('e')
})

test('a large one is let in alone, and does not wait for ever behind small ones', async () => {
  const { come, leave, entered } = opened()
  await Promise.all([come('a', 1), come('b', 2)])
  void come('large', 3, { bytes: 9 })
  void come('small', 4)
  await leave('a')
  expect(entered).toEqual(['a', 'b'])
  await leave('b')
  expect(entered.at(-1)).toBe('large')
  await leave('large')
  expect(entered.at(-1)).toBe('small')
})

test('one that is no longer needed does not wait', async () => {
  const { come, leave, entered } = opened()
  const stopping = new AbortController()
  await come('a', 1, { bytes: 3 })
  const waiting = come('b', 2, { signal: stopping.signal })
  stopping.abort(new Error('too late'))
  await expect(waiting).rejects.toThrow('too late')
  await leave('a')
  await leave('a')
  expect(entered).toEqual(['a'])
})

test('one that takes long makes room for those that wait, and not before somebody does', async () => {
  const { come, entered, revoked } = opened({ timeoutMs: 0 })
  await come('slow', 1, { bytes: 3 })
  await yieldToEventLoop()
  expect(revoked).toEqual([])
  await come('next', 2, { bytes: 3 })
  expect(revoked).toEqual(['slow'])
  expect(entered).toEqual(['slow', 'next'])
})
