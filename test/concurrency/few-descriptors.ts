import { closeSync, openSync } from 'node:fs'
import { createWorkerPool } from '../../src/concurrency/worker-pool.ts'
import { AppError } from '../../src/errors.ts'

/** A child process: prints the outcome of a job with so few free file descriptors, and of another job once there are more. */
const url = new URL('./test-worker.ts', import.meta.url).href
const opened: number[] = []

for (const left of process.argv.slice(2).map(Number)) {
  takeAllBut(left)
  const pool = createWorkerPool({ url, workers: 1, workersOfGroup: 1, urgentWorkers: 0 })
  const run = async () => {
    try {
      await pool.run('loaded', async ({ next }) => next(), { group: 1, deadlineMs: 60_000 })
      return 'done'
    } catch (error) {
      return error instanceof AppError ? error.kind : String(error)
    }
  }
  const first = await run()
  for (const descriptor of opened.splice(0)) closeSync(descriptor)
  process.stdout.write(`${left}: ${first}, ${await run()}\n`)
  await pool.close()
}

function takeAllBut(left: number): void {
  try {
    for (;;) opened.push(openSync('/dev/null', 'r'))
  } catch {
    for (const descriptor of opened.splice(0, left)) closeSync(descriptor)
  }
}
