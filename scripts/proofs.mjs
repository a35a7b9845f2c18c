import { readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { runTests } from './run-tests.mjs'
import { root } from './install.mjs'

// What takes long: `npm test` leaves out files of this name. First what real components and processes prove, side by
// side; then the attacks, on a machine that does nothing else.
const given = process.argv.slice(2)
const env = { NINES_BIN: `${root}dist/nines` }
await runTests([...proofsIn('test/e2e'), `--parallel=${availableParallelism() + 1}`, '--timeout=60000', ...given])
await runTests([...proofsIn('test/attacks'), '--timeout=90000', ...given], env)

/** @param {string} folder */
function proofsIn(folder) {
  const files = readdirSync(`${root}${folder}`).filter((name) => name.endsWith('.proof.ts'))
  return files.map((name) => `./${folder}/${name}`)
}
