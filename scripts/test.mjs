import { availableParallelism } from 'node:os'
import { runTests } from './run-tests.mjs'

const workers = availableParallelism() + 1 // there is always a test that waits for something
const given = process.argv.slice(2)
const isWhole = given.every((arg) => arg.startsWith('-')) // no file is named
// Modules are loaded once in each worker, and what is compiled stays warm: a third less time. A busy machine is no failure.
const args = [`--parallel=${workers}`, '--no-isolate', '--timeout=20000', ...given]
await runTests(args, { isCompiled: isWhole && process.env.NINES_BIN === undefined })
