import { expect, test } from 'bun:test'
import { createAbort, onAbort } from '../../src/concurrency/abort.ts'

test('work is aborted with its parent, for the reason of that, also if it was aborted before', () => {
  const parent = new AbortController()
  using work = createAbort(parent.signal, 60_000)
  parent.abort('stopped')
  using after = createAbort(parent.signal)
  expect([work.signal.reason, work.isLate, after.signal.reason]).toEqual(['stopped', false, 'stopped'])
})

test('work is aborted once its time is over, for the given reason, and is late', async () => {
  using work = createAbort(undefined, 1, () => new Error('late'))
  const aborted = Promise.withResolvers<void>()
  using _ = onAbort(work.signal, aborted.resolve)
  await aborted.promise
  expect([work.signal.reason.message, work.isLate]).toEqual(['late', true])
})

test('after the end of its scope, neither its parent nor its time aborts work', () => {
  const parent = new AbortController()
  let calls = 0
  const scope = () => {
    using work = createAbort(parent.signal)
    using _ = onAbort(parent.signal, () => (calls += 1))
    return work.signal
  }
  const signal = scope()
  parent.abort()
  expect([signal.aborted, calls]).toEqual([false, 0])
})

test('a listener of a signal that was aborted is called at once', () => {
  let calls = 0
  using _ = onAbort(AbortSignal.abort(), () => (calls += 1))
  expect(calls).toBe(1)
})
