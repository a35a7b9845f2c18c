import { readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { lessWork, runTests } from './run-tests.mjs'
import { root } from './install.mjs'

// Runs the slow tests, `*.proof.ts`, which `npm test` leaves out. First the browser tests, retried once on failure because
// browser timing varies; as in `npm test`, a worker loads modules once. Then tests with real components and processes, which run
// as a user's nines does. Last the tests that measure nines by the clock, which would slow down the others.
const given = process.argv.slice(2)
const env = { NINES_BIN: `${root}dist/nines` }
const workers = availableParallelism()
const inBrowser = [...proofsIn('browser'), `--parallel=${workers}`, '--no-isolate', '--timeout=240000', '--retry=1']
await runTests([...inBrowser, ...given], { env: { ...lessWork, ...env } })
await runTests([...proofsIn('e2e', 'damage'), `--parallel=${workers + 1}`, '--timeout=90000', ...given], { env })
// Not in memory: there, files that nines writes would count as its memory.
await runTests([...proofsIn('chaos', 'attacks'), `--parallel=${workers}`, '--timeout=90000', ...given], {
  env,
  inMemory: false,
})

/** @param {string[]} folders */
function proofsIn(...folders) {
  return folders.flatMap((folder) =>
    readdirSync(`${root}test/${folder}`)
      .filter((name) => name.endsWith('.proof.ts'))
      .map((name) => `./test/${folder}/${name}`),
  )
}
