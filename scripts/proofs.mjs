import { readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { runTests } from './run-tests.mjs'
import { root } from './install.mjs'

// What takes long: `npm test` leaves out files of this name. First the walks through the page, of which one that fails is
// tried once more: a browser has timing of its own. Then what real components and processes prove; then what watches nines
// by the clock, which the others would keep waiting.
const given = process.argv.slice(2)
const env = { NINES_BIN: `${root}dist/nines` }
const workers = availableParallelism()
await runTests([...proofsIn('browser'), `--parallel=${workers}`, '--timeout=90000', '--retry=1', ...given], { env })
await runTests([...proofsIn('e2e', 'damage'), `--parallel=${workers + 1}`, '--timeout=90000', ...given], { env })
// Not in memory: what nines writes would count as its own memory there.
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
