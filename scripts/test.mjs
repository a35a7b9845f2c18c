import { availableParallelism } from 'node:os'
import { runTests } from './run-tests.mjs'

const workers = availableParallelism() + 1 // there is always a test that waits for something
// Modules are loaded once in each worker, and what is compiled stays warm: a third less time. A busy machine is no failure.
await runTests([`--parallel=${workers}`, '--no-isolate', '--timeout=20000', ...process.argv.slice(2)])
