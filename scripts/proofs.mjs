import { readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { runTests } from './run-tests.mjs'
import { root } from './install.mjs'

// What takes long: `npm test` leaves out files of this name. First what real components and processes prove, side by
// side; then what needs the machine to itself.
const given = process.argv.slice(2)
const env = { NINES_BIN: `${root}dist/nines` }
const parallel = `--parallel=${availableParallelism() + 1}`
await runTests([...proofsIn('e2e', 'damage'), parallel, '--timeout=90000', ...given], { env })
await runTests([...proofsIn('attacks', 'chaos'), '--timeout=90000', ...given], { env, inMemory: false }) // files in memory would count as that of nines

/** @param {string[]} folders */
function proofsIn(...folders) {
  return folders.flatMap((folder) =>
    readdirSync(`${root}test/${folder}`)
      .filter((name) => name.endsWith('.proof.ts'))
      .map((name) => `./test/${folder}/${name}`),
  )
}
