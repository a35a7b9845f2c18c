import { runTests } from './run-tests.mjs'
import { root } from './install.mjs'

// What takes long, one after the other on a machine that does nothing else: `npm test` leaves out files of this name.
const proofs = ['attacks/attacks', 'e2e/truth-table', 'e2e/standing'].map((name) => `./test/${name}.proof.ts`)
await runTests([...proofs, '--timeout=90000', ...process.argv.slice(2)], {
  NINES_BIN: `${root}dist/nines`,
})
