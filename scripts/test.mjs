import { availableParallelism } from 'node:os'
import { runTests } from './run-tests.mjs'

const workers = availableParallelism() + 2 // there are always tests that wait
const given = process.argv.slice(2)
const isWhole = given.every((arg) => arg.startsWith('-')) // no test file is named
// Without isolation, each worker loads modules once and keeps compiled code: a third less time. The timeout allows for a busy
// machine.
const args = [`--parallel=${workers}`, '--no-isolate', '--timeout=60000', ...given]
const env = {
  BUN_JSC_useFTLJIT: '0', // its code is compiled for longer runs than a test's: a seventh of the processor time
  BUN_JSC_useWarmUpMarkedBlocks: '0', // a thread that makes memory ready before it is needed: a fifteenth, while no processor is idle
  MIMALLOC_PURGE_DELAY: '-1', // memory that is free stays with the process: to give it back and take it again is a fifth
  ...process.env,
} // the proofs run with all of these
await runTests(args, { env, isCompiled: isWhole && process.env.NINES_BIN === undefined })
