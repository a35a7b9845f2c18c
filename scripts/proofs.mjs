import { readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { lessWork, runTests } from './run-tests.mjs'
import { root } from './install.mjs'

// Runs the slow tests, `*.proof.ts`, which `npm test` leaves out; where the first arguments are folders of them, those of these
// folders. First the browser tests, retried once on failure because browser timing varies; as in `npm test`, a worker loads modules
// once. Then tests with real components and processes, which run as a user's nines does, and those that evaluate an outage second by
// second, or days: several of them wait for a time to pass, so two more run at once than there are processors. Last the tests that
// measure nines by the clock, which would slow down the others.
const folders = ['browser', 'e2e', 'damage', 'evaluation', 'chaos', 'attacks']
const given = process.argv.slice(2)
let count = 0
while (folders.includes(given[count] ?? '')) count += 1
const chosen = count > 0 ? given.slice(0, count) : folders
const more = given.slice(count)
const workers = availableParallelism()
await run(['browser'], [`--parallel=${workers}`, '--no-isolate', '--timeout=240000', '--retry=1'], { env: lessWork })
await run(['e2e', 'damage', 'evaluation'], [`--parallel=${workers + 2}`, '--timeout=90000'])
// Not in memory: there, files that nines writes would count as its memory.
await run(['chaos', 'attacks'], [`--parallel=${workers}`, '--timeout=90000'], { inMemory: false })

/**
 * @param {string[]} group
 * @param {string[]} options
 * @param {{ env?: NodeJS.ProcessEnv, inMemory?: boolean }} [where]
 */
async function run(group, options, { env = {}, ...where } = {}) {
  const proofs = proofsIn(group.filter((folder) => chosen.includes(folder)))
  if (proofs.length === 0) return
  await runTests([...proofs, ...options, ...more], { env: { ...env, NINES_BIN: `${root}dist/nines` }, ...where })
}

/** @param {string[]} names */
function proofsIn(names) {
  return names.flatMap((folder) =>
    readdirSync(`${root}test/${folder}`)
      .filter((name) => name.endsWith('.proof.ts'))
      .map((name) => `./test/${folder}/${name}`),
  )
}
