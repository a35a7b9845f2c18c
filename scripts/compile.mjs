import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { runChild } from './child.mjs'
import { root } from './install.mjs'

/**
 * Not minified, which would break Elysia's validation; reads no `.env` and no `bunfig.toml` (it can run code) from the
 * folder it is started in. Resolves to the exit code. `order`: the file that `recordStart` has written.
 * @param {string} bun
 * @param {string} target
 * @param {string} outfile
 * @param {{ order?: string }} [options]
 */
export async function compile(bun, target, outfile, { order } = {}) {
  const pageCode = await runChild(bun, [join(root, 'scripts', 'embed-page.ts')], { cwd: root }) // the executable holds it
  if (pageCode !== 0) return pageCode
  const flags = [
    '--compile',
    '--bytecode',
    '--format=esm',
    '--splitting', // one copy of what the program and its workers have in common
    '--compile-jit-policy=8', // most of what a start runs, it runs once; src/main.ts and src/worker.ts end it
    '--sourcemap',
    '--no-compile-autoload-dotenv',
    '--no-compile-autoload-bunfig',
    ...(order ? [`--bytecode-order=${order}`] : []),
    `--target=bun-${target}`,
    '--define=BUILD_PAGE=true', // see src/web/page-files.ts
    `--define=BUILD_LIBC="${target.endsWith('-musl') ? 'musl' : 'glibc'}"`, // see src/db/sqlite.ts
  ]
  const env = { ...process.env, NODE_ENV: 'production' } // what libraries read of it is put into the bundle
  const modules = ['main', 'worker', 'check-worker'].map((name) => `src/${name}.ts`)
  const code = await runChild(bun, ['build', ...flags, ...modules, `--outfile=${outfile}`], { cwd: root, env })
  const folder = dirname(outfile)
  const maps = readdirSync(folder).filter((name) => name.endsWith('.map'))
  for (const map of maps) rmSync(join(folder, map)) // the executable holds them too
  return code
}

/** The platform of this machine. */
export function ownTarget() {
  const musl = process.platform === 'linux' && readFileSync('/proc/self/maps', 'latin1').includes('/ld-musl-')
  return `${process.platform}-${process.arch}${musl ? '-musl' : ''}`
}
