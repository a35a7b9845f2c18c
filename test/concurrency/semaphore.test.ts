import { expect, test } from 'bun:test'
import { createSemaphore } from '../../src/concurrency/semaphore.ts'

const never = new AbortController().signal

/** Tasks that record their start and end when the test says so. */
function tasks() {
  const started: string[] = []
  const ends = new Map<string, () => void>()
  const task = (name: string) => async () => {
    started.push(name)
    const { promise, resolve } = Promise.withResolvers<void>()
    ends.set(name, resolve)
    await promise
    return name
  }
  return { started, task, end: (name: string) => ends.get(name)?.() }
}

test('no more tasks run at once than the semaphore is wide, and the rest start in the order they came', async () => {
  const semaphore = createSemaphore(2)
  const { started, task, end } = tasks()
  const runs = ['a', 'b', 'c', 'd'].map((name) => semaphore.run(task(name), { signal: never }))
  await Promise.resolve()
  expect(started).toEqual(['a', 'b'])
  end('b')
  await runs[1]
  await Promise.resolve()
  expect(started).toEqual(['a', 'b', 'c'])
  end('a')
  end('c')
  await Promise.all([runs[0], runs[2]])
  expect(started).toEqual(['a', 'b', 'c', 'd'])
  end('d')
  expect(await Promise.all(runs)).toEqual(['a', 'b', 'c', 'd'])
})

test('a newcomer does not overtake those who wait', async () => {
  const semaphore = createSemaphore(1)
  const { started, task, end } = tasks()
  const first = semaphore.run(task('first'), { signal: never })
  const waiting = semaphore.run(task('waiting'), { signal: never })
  await Promise.resolve()
  end('first')
  await first
  const newcomer = semaphore.run(task('newcomer'), { signal: never })
  await Promise.resolve()
  expect(started).toEqual(['first', 'waiting'])
  end('waiting')
  await waiting
  await Promise.resolve()
  end('newcomer')
  expect(await newcomer).toBe('newcomer')
})

test('an urgent task neither waits nor takes a slot from others', async () => {
  const semaphore = createSemaphore(1)
  const { started, task, end } = tasks()
  const urgent = semaphore.run(task('urgent'), { signal: never, urgent: true })
  const first = semaphore.run(task('first'), { signal: never })
  const second = semaphore.run(task('second urgent'), { signal: never, urgent: true })
  await Promise.resolve()
  expect(started).toEqual(['urgent', 'second urgent', 'first'])
  for (const name of started) end(name)
  await Promise.all([urgent, first, second])
})

test('a task that gives up waiting leaves the queue, and the place is not lost', async () => {
  const semaphore = createSemaphore(1)
  const { started, task, end } = tasks()
  const impatient = new AbortController()
  const first = semaphore.run(task('first'), { signal: never })
  const given = semaphore.run(task('given up'), { signal: impatient.signal })
  const patient = semaphore.run(task('patient'), { signal: never })
  impatient.abort(new Error('too late'))
  await expect(given).rejects.toThrow('too late')
  end('first')
  await first
  await Promise.resolve()
  end('patient')
  expect(await patient).toBe('patient')
  expect(started).toEqual(['first', 'patient'])
})

test('a task that fails gives its slot back', async () => {
  const semaphore = createSemaphore(1)
  await expect(semaphore.run(() => Promise.reject(new Error('no luck')), { signal: never })).rejects.toThrow('no luck')
  expect(await semaphore.run(async () => 'next', { signal: never })).toBe('next')
})

test('a task is not begun once its signal is aborted', async () => {
  const { started, task } = tasks()
  const run = createSemaphore(1).run(task('late'), { signal: AbortSignal.abort(new Error('too late')) })
  await expect(run).rejects.toThrow('too late')
  expect(started).toEqual([])
})
