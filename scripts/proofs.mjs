import { runTests } from './run-tests.mjs'
import { root } from './install.mjs'

// What takes long, one after the other on a machine that does nothing else: `npm test` leaves out files of this name.
const proofs = ['./test/attacks/attacks.proof.ts', './test/damage/pages.proof.ts']
await runTests([...proofs, '--timeout=90000', ...process.argv.slice(2)], {
  NINES_BIN: `${root}dist/nines`,
})
