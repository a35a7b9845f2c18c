import { availableParallelism } from 'node:os'
import { lessWork, runTests } from './run-tests.mjs'

const workers = availableParallelism() + 2 // there are always tests that wait
const given = process.argv.slice(2)
const isWhole = given.every((arg) => arg.startsWith('-')) // no test file is named
// Without isolation, each worker loads modules once and keeps compiled code: a third less time. The timeout allows for a busy
// machine.
const args = [`--parallel=${workers}`, '--no-isolate', '--timeout=60000', ...given]
const env = { ...lessWork, ...process.env }
await runTests(args, { env, isCompiled: isWhole && process.env.NINES_BIN === undefined })
