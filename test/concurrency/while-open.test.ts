import { expect, test } from 'bun:test'
import { createWhileOpen } from '../../src/concurrency/semaphore.ts'

test('work that has begun is waited for, and none begins once the app is closing', async () => {
  let closing = false
  const database = createWhileOpen(() => closing)
  const writing = Promise.withResolvers<string>()
  const outcome = database.run(() => writing.promise)
  closing = true
  let isDrained = false
  const drained = database.drain().then(() => (isDrained = true))
  await Promise.resolve()
  expect(isDrained).toBe(false)
  expect(await database.run(() => Promise.reject(new Error('must be no work')))).toBeUndefined()
  writing.resolve('written')
  expect(await outcome).toBe('written')
  await drained
})

test('a failure rejects the run, and does not hold up a close', async () => {
  const database = createWhileOpen(() => false)
  await expect(database.run(() => Promise.reject(new Error('disk is full')))).rejects.toThrow('disk is full')
  await database.drain()
})
