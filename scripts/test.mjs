import { availableParallelism } from 'node:os'
import { runChild } from './child.mjs'
import { installMissing, root } from './install.mjs'
import { countTests } from './count-tests.mjs'

const inCi = process.env.CI === 'true'
const bun = installMissing()
if (inCi) await orExit(runChild('bash', [`${root}scripts/install-components.sh`]))

let said = ''
const workers = availableParallelism() + 1 // there is always a test that waits for something
const args = ['test', `--parallel=${workers}`, '--timeout=20000', ...process.argv.slice(2)] // a busy machine is no failure
const exitCode = await runChild(bun, args, {
  cwd: root,
  env: process.stderr.isTTY ? { FORCE_COLOR: '1', ...process.env } : process.env,
  onStderr(chunk) {
    process.stderr.write(chunk)
    said = (said + chunk).slice(-10_000)
  },
})

const counts = countTests(said)
const problem = !counts
  ? 'The test run ended without its closing lines.'
  : inCi && counts.skipped > 0
    ? 'A test was skipped, and in CI nothing may be.'
    : undefined
if (problem) console.error(problem)
const { passed, failed, skipped } = counts ?? { passed: 0, failed: 1, skipped: 0 }
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
process.exitCode = exitCode || (problem ? 1 : 0)

/** @param {Promise<number>} running */
async function orExit(running) {
  const code = await running
  if (code !== 0) process.exit(code)
}
