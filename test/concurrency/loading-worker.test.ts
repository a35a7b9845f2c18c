import { afterEach, expect, test } from 'bun:test'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createWorkerPool } from '../../src/concurrency/worker-pool.ts'
import type { AppError } from '../../src/errors.ts'
import { closeAll } from '../support/closing.ts'
import { newFolder } from '../support/process.ts'

afterEach(closeAll)

/** A pool whose worker loads until the test calls `go`. `counts`: how often descriptors were held and released. */
function newPool() {
  const folder = newFolder()
  const has = (name: string) => existsSync(join(folder, name))
  const module = join(folder, 'worker.ts')
  writeFileSync(
    module,
    `import { existsSync, writeFileSync } from 'node:fs'
     import { handler, serveJobs } from '${fileURLToPath(new URL('../../src/concurrency/serve-jobs.ts', import.meta.url))}'
     writeFileSync('${folder}/loading', '')
     while (!existsSync('${folder}/go')) Bun.sleepSync(1)
     writeFileSync('${folder}/loaded', '')
     serveJobs(new Map([['greet', handler(async ({ post }) => post('hello'))]]))`,
  )
  const counts = { held: 0, released: 0 }
  const holdDescriptors = () => {
    counts.held += 1
    return () => void (counts.released += 1)
  }
  const pool = createWorkerPool({ url: module, workers: 1, workersOfGroup: 1, urgentWorkers: 0, holdDescriptors })
  const greet = (deadlineMs = 60_000) =>
    pool.run('greet', ({ next }) => next(), { group: 1, deadlineMs }).catch((error: AppError) => error.kind)
  return { pool, greet, has, counts, go: () => writeFileSync(join(folder, 'go'), '') }
}

test('a worker that is still loading ends once it has loaded', async () => {
  const { pool, greet, has, counts, go } = newPool()
  const greeting = greet()
  while (!has('loading')) await Bun.sleep(1)
  const closed = pool.close()
  expect([await greeting, has('loaded'), counts]).toEqual(['unavailable', false, { held: 1, released: 0 }])
  go()
  await closed
  expect([has('loaded'), counts]).toEqual([true, { held: 1, released: 1 }])
})

test('jobs that end while a worker is loading leave it to the next', async () => {
  const { pool, greet, counts, go } = newPool()
  for (let count = 0; count < 5; count += 1) expect(await greet(1)).toBe('too_slow')
  go()
  expect([await greet(), counts]).toEqual(['hello', { held: 1, released: 1 }])
  await pool.close()
})
