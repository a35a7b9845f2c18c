import { afterEach, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { JobMessages } from '../../src/concurrency/job-messages.ts'
import { createWorkerPool, type WorkerPool } from '../../src/concurrency/worker-pool.ts'
import { AppError } from '../../src/errors.ts'
import { closeAll } from '../support/closing.ts'
import { newFolder } from '../support/process.ts'

const url = new URL('./test-worker.ts', import.meta.url).href
const pools: WorkerPool[] = []
const later = { group: 1, deadlineMs: 60_000 }

afterEach(async () => {
  for (const pool of pools.splice(0)) await pool.close()
  await closeAll()
})

const usual: Parameters<typeof createWorkerPool>[0] = {
  url,
  workers: 2,
  workersOfGroup: 1,
  urgentWorkers: 1,
  preemptAfterMs: 60_000,
  idleTimeoutMs: 60_000,
}

function newPool(options: Partial<typeof usual> = {}): WorkerPool {
  const pool = createWorkerPool({ ...usual, ...options })
  pools.push(pool)
  return pool
}

type Talk = JobMessages<unknown, unknown>
const nothing = async () => 'done'
const ask = async ({ next }: Talk) => next()

/** Runs a job that returns the random number of its worker. */
const loaded = (pool: WorkerPool, options = later) => pool.run('loaded', ask, options)

/** A job that has started and runs until it is `ended`. */
async function begun(pool: WorkerPool, options: { group: number; deadlineMs: number; urgent?: boolean }) {
  const started = Promise.withResolvers<void>()
  const { promise, resolve: end } = Promise.withResolvers<void>()
  const conversation = async ({ post }: Talk) => {
    started.resolve()
    await promise
    post('go on')
  }
  const ended = pool.run('wait', conversation, options)
  await started.promise
  return { end, ended }
}

const errorOf = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: unknown) => error,
  )

async function kindOf(work: Promise<unknown>) {
  const error = await errorOf(work)
  return error instanceof AppError ? error.kind : error
}

test('a worker and the caller exchange messages', async () => {
  const sums = await newPool().run<number | null, number, number[]>(
    'add',
    async ({ post, next }) => {
      const found: number[] = []
      for (const number of [1, 2, 3]) {
        post(number)
        found.push(await next())
      }
      post(null)
      return found
    },
    later,
  )
  expect(sums).toEqual([1, 3, 6])
})

test('a worker is kept for the next job', async () => {
  const pool = newPool()
  expect(await loaded(pool)).toBe(await loaded(pool))
})

test('a worker that has had no job for a while ends, and none that is at work', async () => {
  const pool = newPool({ idleTimeoutMs: 20 })
  const first = await loaded(pool)
  const { end, ended } = await begun(pool, later)
  await Bun.sleep(100)
  end()
  await ended
  await Bun.sleep(500)
  expect(await loaded(pool)).not.toBe(first)
})

test('jobs that fail before they ask anything leave the worker to the next', async () => {
  let started = 0
  const pool = newPool({ holdDescriptors: () => ((started += 1), () => {}) })
  for (let count = 0; count < 20; count += 1) await errorOf(pool.run('loaded', () => Promise.reject(), later))
  expect([await loaded(pool), started]).toEqual([expect.any(Number), 1])
})

test('what a worker throws is thrown with its kind and details, and the worker is kept', async () => {
  const pool = newPool()
  const first = await loaded(pool)
  const refused = await errorOf(pool.run('refuse', ask, later))
  expect(refused).toMatchObject({ kind: 'too_large', message: 'It is too large', details: 'by far' })
  expect(await errorOf(pool.run('blunder', ask, later))).toEqual(new Error('a blunder'))
  expect(await errorOf(pool.run('none such', nothing, later))).toEqual(new Error('no job is named "none such"'))
  expect(await loaded(pool)).toBe(first)
})

test('a job without end is ended at its deadline, and a new worker does the next', async () => {
  const pool = newPool()
  const first = await loaded(pool)
  const forEver = pool.run('for ever', async ({ next }) => [await next(), await next()], { group: 1, deadlineMs: 300 })
  expect(await kindOf(forEver)).toBe('too_slow')
  expect(await loaded(pool)).not.toBe(first)
})

test('the time of a job that waits for a worker passes too', async () => {
  const pool = newPool()
  const { end, ended } = await begun(pool, later)
  expect(await kindOf(loaded(pool, { group: 1, deadlineMs: 20 }))).toBe('too_slow')
  end()
  await ended
  expect(await loaded(pool)).toBeNumber()
})

test('a worker that ends by itself is replaced, and its job fails', async () => {
  const pool = newPool()
  expect(await kindOf(pool.run('exit', ask, later))).toBe('unavailable')
  expect(await loaded(pool)).toBeNumber()
})

test('a worker that cannot start fails its job at once, and the next job has another', async () => {
  const module = join(newFolder(), 'worker.ts')
  const pool = newPool({ url: module })
  writeFileSync(module, `throw new Error('it cannot start')`)
  const error = await errorOf(loaded(pool))
  expect(error).toMatchObject({ kind: 'unavailable', cause: { message: expect.stringContaining('it cannot start') } })
  writeFileSync(module, `import '${fileURLToPath(url)}'`)
  expect(await loaded(pool)).toBeNumber()
})

test('a process without file descriptors goes on without workers, and has them again later', () => {
  const script = [process.execPath, join(import.meta.dir, 'few-descriptors.ts'), '0', '1', '4', '40']
  const { exitCode, stdout } = Bun.spawnSync(['sh', '-c', 'ulimit -n 128; exec "$@"', 'sh', ...script])
  expect(stdout.toString().trim().split('\n')).toEqual([
    '0: unavailable, done',
    '1: unavailable, done',
    '4: unavailable, done',
    '40: done, done',
  ])
  expect(exitCode).toBe(0)
})

test('a worker that holds much memory is replaced', async () => {
  const pool = newPool()
  const first = await loaded(pool)
  expect(await pool.run('wear out', nothing, later)).toBe('done')
  expect(await loaded(pool)).not.toBe(first)
})

test('a worker whose job was left is replaced', async () => {
  const pool = newPool()
  const first = await loaded(pool)
  const leave = async ({ post }: Talk) => {
    post('begin')
    throw new Error('enough')
  }
  expect(await errorOf(pool.run('for ever', leave, later))).toEqual(new Error('enough'))
  expect(await loaded(pool)).not.toBe(first)
})

test('a signal ends a job, under way or waiting', async () => {
  const pool = newPool()
  const controller = new AbortController()
  const { signal } = controller
  const both = [1, 2].map(() => errorOf(pool.run('wait', ask, { ...later, signal })))
  controller.abort(new Error('not needed any more'))
  expect(await Promise.all(both)).toEqual([new Error('not needed any more'), new Error('not needed any more')])
  expect(await loaded(pool)).toBeNumber()
})

test('however many jobs one group has, there is a worker for another', async () => {
  const pool = newPool()
  const first = await begun(pool, later)
  const waiting = loaded(pool)
  expect(await loaded(pool, { group: 2, deadlineMs: 60_000 })).toBeNumber()
  first.end()
  await first.ended
  expect(await waiting).toBeNumber()
})

test('an urgent job does not wait for those that are not', async () => {
  const pool = newPool()
  const others = await Promise.all([1, 2].map((group) => begun(pool, { group, deadlineMs: 60_000 })))
  expect(await pool.run('loaded', ask, { ...later, urgent: true })).toBeNumber()
  for (const { end, ended } of others) {
    end()
    await ended
  }
})

test('a pool that is closed leaves no job and no worker', async () => {
  const pool = newPool()
  const started = Promise.withResolvers<void>()
  const conversation = async ({ next }: Talk) => {
    started.resolve(void (await next()))
    return next()
  }
  const jobs = [pool.run('for ever', conversation, later), loaded(pool)].map(kindOf)
  await started.promise
  await pool.close()
  expect(await Promise.all(jobs)).toEqual(['unavailable', 'unavailable'])
  expect(await kindOf(loaded(pool))).toBe('unavailable')
})

test('a group that waits has the place of the job that has been at work longest', async () => {
  const pool = newPool({ preemptAfterMs: 50 })
  const longest = await begun(pool, { group: 1, deadlineMs: 60_000 })
  const ended = kindOf(longest.ended)
  const long = await begun(pool, { group: 2, deadlineMs: 60_000 })
  const third = await begun(pool, { group: 3, deadlineMs: 60_000 })
  expect(await ended).toBe('too_slow')
  long.end()
  third.end()
  await Promise.all([long.ended, third.ended])
})

test('a group with a job at work waits for that', async () => {
  const pool = newPool({ preemptAfterMs: 50 })
  const [one, two] = [
    await begun(pool, { group: 1, deadlineMs: 60_000 }),
    await begun(pool, { group: 2, deadlineMs: 60_000 }),
  ]
  expect(await kindOf(pool.run('add', nothing, { group: 1, deadlineMs: 300 }))).toBe('too_slow')
  one.end()
  two.end()
  await Promise.all([one.ended, two.ended])
})
