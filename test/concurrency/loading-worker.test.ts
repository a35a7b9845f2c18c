import { afterEach, expect, test } from 'bun:test'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createWorkerPool } from '../../src/concurrency/worker-pool.ts'
import type { AppError } from '../../src/errors.ts'
import { closeAll } from '../support/closing.ts'
import { newFolder } from '../support/process.ts'

afterEach(closeAll)

test('a worker that is still loading ends once it has loaded', async () => {
  const folder = newFolder()
  const has = (name: string) => existsSync(join(folder, name))
  const module = join(folder, 'worker.ts')
  writeFileSync(
    module,
    `import { existsSync, writeFileSync } from 'node:fs'
     import { serveJobs } from '${fileURLToPath(new URL('../../src/concurrency/serve-jobs.ts', import.meta.url))}'
     writeFileSync('${folder}/loading', '')
     while (!existsSync('${folder}/go')) Bun.sleepSync(1)
     writeFileSync('${folder}/loaded', '')
     serveJobs(new Map())`,
  )
  let [held, released] = [0, 0]
  const holdDescriptors = () => {
    held += 1
    return () => void (released += 1)
  }
  const pool = createWorkerPool({ url: module, workers: 1, workersOfGroup: 1, urgentWorkers: 0, holdDescriptors })
  const job = pool
    .run('none', ({ next }) => next(), { group: 1, deadlineMs: 60_000 })
    .catch((error: AppError) => error.kind)
  while (!has('loading')) await Bun.sleep(1)
  const closed = pool.close()
  expect([await job, has('loaded'), held, released]).toEqual(['unavailable', false, 1, 0])
  writeFileSync(join(folder, 'go'), '')
  await closed
  expect([has('loaded'), held, released]).toEqual([true, 1, 1])
})
