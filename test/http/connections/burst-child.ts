import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createWorkerPool } from '../../../src/concurrency/worker-pool.ts'
import { createAcceptGate } from '../../../src/http/connections/accept-gate.ts'
import { boundsOf, guardConnections } from '../../../src/http/connections/connection-guard.ts'
import { openSockets } from '../../../src/http/connections/native-sockets.ts'
import { createLog } from '../../../src/log.ts'
import { maxDescriptors } from '../../../src/metrics/process.ts'

/**
 * A child process with few file descriptors. It prints its port, accepts no connection until the named folder contains a file
 * `burst`, and then starts a worker. The worker's module loads after enough event loop iterations to accept all connections.
 * Prints the outcome of a job of the worker.
 */
const [folder = ''] = process.argv.slice(2)
const module = join(folder, 'worker.ts')
const testWorker = join(import.meta.dir, '..', '..', 'concurrency', 'test-worker.ts')
writeFileSync(
  module,
  `const { existsSync } = require('node:fs')
   while (!existsSync('${join(folder, 'turned')}')) Bun.sleepSync(1)
   require('${testWorker}')`,
)
const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('here') })
const [max, sockets] = [maxDescriptors(), openSockets(Number(server.port))]
if (max === undefined || !sockets) throw new Error('the listener was not found')
const gate = createAcceptGate()
const log = createLog({ level: 'error', format: 'json', now: () => 0, write: () => {} })
const limits = { bounds: boundsOf(max), maxDescriptors: max, maxSilentMs: 60_000 }
const guard = guardConnections({ sockets, gate, ...limits, log, trustProxy: [] })
const workers = { workers: 1, workersOfGroup: 1, urgentWorkers: 0, holdDescriptors: gate.hold }
const pool = createWorkerPool({ url: module, ...workers })

process.stdout.write(`${server.port}\n`)
while (!existsSync(join(folder, 'burst'))) Bun.sleepSync(1)
const job = { group: 1, deadlineMs: 60_000 }
const done = pool.run<never, number, number>('loaded', ({ next }) => next(), job)
for (let turns = 0; turns < 1000 && sockets.openDescriptors() < max; turns += 1) {
  await new Promise((resolve) => setImmediate(resolve))
}
writeFileSync(join(folder, 'turned'), '')
process.stdout.write(`${typeof (await done)}\n`)
await pool.close()
guard.stop()
await server.stop(true)
