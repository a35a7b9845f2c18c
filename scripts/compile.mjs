import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { runChild } from './child.mjs'
import { root } from './install.mjs'

/**
 * Compiles the executable, not minified, which would break Elysia's validation; resolves to the exit code. The executable reads
 * no `.env` and no `bunfig.toml` (which can run code) from the folder it is started in. `order`: file from `recordStart`.
 * @param {string} bun
 * @param {string} target
 * @param {string} outfile
 * @param {{ order?: string }} [options]
 */
export async function compile(bun, target, outfile, { order } = {}) {
  const pageCode = await runChild(bun, [join(root, 'scripts', 'embed-page.ts')], { cwd: root }) // the executable contains it
  if (pageCode !== 0) return pageCode
  const flags = [
    '--compile',
    '--bytecode',
    '--format=esm',
    '--splitting', // one copy of the code that the program and its workers share
    '--compile-jit-policy=8', // a start runs most of its code once; src/main.ts and src/worker.ts end this
    '--sourcemap',
    '--no-compile-autoload-dotenv',
    '--no-compile-autoload-bunfig',
    ...(order ? [`--bytecode-order=${order}`] : []),
    `--target=bun-${target}`,
    '--define=BUILD_PAGE=true', // see src/web/page-files.ts
    `--define=BUILD_LIBC="${target.includes('-musl') ? 'musl' : 'glibc'}"`, // see src/db/sqlite.ts
  ]
  const env = { ...process.env, NODE_ENV: 'production' } // the bundler inlines this value where libraries read it
  const modules = ['main', 'worker', 'check-worker'].map((name) => `src/${name}.ts`)
  const code = await runChild(bun, ['build', ...flags, ...modules, `--outfile=${outfile}`], { cwd: root, env })
  const folder = dirname(outfile)
  const maps = readdirSync(folder).filter((name) => name.endsWith('.map'))
  for (const map of maps) rmSync(join(folder, map)) // the executable contains them too
  return code
}

/** Target name of this machine's platform. */
export function ownTarget() {
  const musl = process.platform === 'linux' && readFileSync('/proc/self/maps', 'latin1').includes('/ld-musl-')
  return `${process.platform}-${process.arch}${musl ? '-musl' : ''}`
}
