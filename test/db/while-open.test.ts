import { expect, test } from 'bun:test'
import { createWhileOpen } from '../../src/db/while-open.ts'

test('work that has begun is waited for, and none begins once the app is closing', async () => {
  let closing = false
  const database = createWhileOpen(() => closing)
  const writing = Promise.withResolvers<string>()
  const outcome = database.run(() => writing.promise)
  closing = true
  let isSettled = false
  const settled = database.drain().then(() => (isSettled = true))
  await Promise.resolve()
  expect(isSettled).toBe(false)
  expect(await database.run(() => Promise.reject(new Error('must be no work')))).toBeUndefined()
  writing.resolve('written')
  expect(await outcome).toBe('written')
  await settled
})

test('a failure is told to whoever began the work, and holds up no close', async () => {
  const database = createWhileOpen(() => false)
  await expect(database.run(() => Promise.reject(new Error('disk is full')))).rejects.toThrow('disk is full')
  await database.drain()
})
