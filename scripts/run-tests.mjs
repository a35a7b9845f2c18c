import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runChild } from './child.mjs'
import { compile, ownTarget } from './compile.mjs'
import { installMissing, root } from './install.mjs'
import { countTests } from './count-tests.mjs'
import { makeRunDir } from './run-dir.mjs'
import { slowestFiles, timingsOf } from './slowest.mjs'

/** Environment of `bun test` that saves processor time in tests, not in a server that runs for long. */
export const lessWork = {
  BUN_JSC_useFTLJIT: '0', // its code is compiled for longer runs than a test's: a seventh of the processor time
  BUN_JSC_useWarmUpMarkedBlocks: '0', // a thread that makes memory ready before it is needed: a fifteenth, while no processor is idle
  MIMALLOC_PURGE_DELAY: '-1', // memory that is free stays with the process: to give it back and take it again is a fifth
}

/**
 * Installs missing dependencies, in CI also the real components, and runs `bun test` with these arguments. Prints as its last
 * line the counts that CI reads. The exit code is 0 only if every test passed and, in CI, none was skipped. `--slowest` prints
 * the slowest files before that line. `isCompiled`: tests start nines as an executable compiled for this run, which takes a
 * quarter of the time of a start from source. Where that executable or the one of `npm run build` is tested, all processes
 * share its packed page: to bundle and compress the page takes each of them 2.7 s of processor time.
 * @param {string[]} args
 * @param {{ env?: NodeJS.ProcessEnv, isCompiled?: boolean, inMemory?: boolean }} [options]
 */
export async function runTests(args, { env = {}, isCompiled = false, inMemory = true } = {}) {
  const inCi = process.env.CI === 'true'
  const bun = installMissing()
  if (inCi) {
    const code = await runChild('bash', [`${root}scripts/install-components.sh`])
    if (code !== 0) process.exit(code)
  }

  const runDir = makeRunDir(inMemory)
  const timings = join(runDir, 'timings.json')
  const executable = join(runDir, 'nines')
  if (isCompiled) {
    const code = await compile(bun, ownTarget(), executable)
    if (code !== 0) {
      rmSync(runDir, { recursive: true })
      process.exit(code)
    }
  }
  const isTimed = args.includes('--slowest')
  const given = args.filter((arg) => arg !== '--slowest')
  let said = ''
  const isPagePacked = isCompiled || (env.NINES_BIN ?? process.env.NINES_BIN) === `${root}dist/nines`
  const packed = isPagePacked ? ['--define=BUILD_PAGE=true'] : [] // see src/web/page-files.ts
  const timed = [`--timings=${timings}`, ...(isTimed ? ['--update-timings'] : [])]
  if (!isTimed) writeFileSync(timings, JSON.stringify(timingsOf(testFiles())))
  const exitCode = await runChild(bun, ['test', ...packed, ...timed, ...given], {
    cwd: root,
    env: {
      ...(process.stderr.isTTY && { FORCE_COLOR: '1' }),
      ...process.env,
      NINES_TEST_RUN_DIR: runDir,
      TMPDIR: join(runDir, 'tmp'),
      ...(isCompiled && { NINES_BIN: executable }),
      ...env,
    },
    onStderr(chunk) {
      process.stderr.write(chunk)
      said = (said + chunk).slice(-10_000)
    },
  })

  if (isTimed && existsSync(timings)) {
    console.log(['the slowest files:', ...slowestFiles(JSON.parse(readFileSync(timings, 'utf8')))].join('\n'))
  }
  rmSync(runDir, { recursive: true, force: true })

  const counts = countTests(said)
  const problem = !counts
    ? 'The test run ended without its closing lines.'
    : inCi && counts.skipped > 0
      ? 'A test was skipped, and in CI nothing may be.'
      : undefined
  if (problem) console.error(problem)
  const { passed, failed, skipped } = counts ?? { passed: 0, failed: 1, skipped: 0 }
  console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
  process.exitCode ||= exitCode || (problem ? 1 : 0)
}

function testFiles() {
  const names = readdirSync(`${root}test`, { recursive: true, encoding: 'utf8' })
  return names.filter((name) => /\.(?:test|proof)\.ts$/.test(name)).map((name) => `test/${name.replaceAll('\\', '/')}`)
}
