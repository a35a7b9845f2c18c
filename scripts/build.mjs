import { mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { runChild } from './child.mjs'
import { compile, ownTarget } from './compile.mjs'
import { installMissing, root } from './install.mjs'
import { recordStart } from './record-start.mjs'

/** Supported platforms, each with its SQLite addon. */
const addons = new Map([
  ['linux-x64', 'linux-x64.node'],
  ['linux-x64-musl', 'linuxmusl-x64.node'],
  ['linux-arm64', 'linux-arm64.node'],
  ['linux-arm64-musl', 'linuxmusl-arm64.node'],
  // for processors without AVX2
  ['linux-x64-baseline', 'linux-x64.node'],
  ['linux-x64-musl-baseline', 'linuxmusl-x64.node'],
  ['darwin-x64', 'darwin-x64.node'],
  ['darwin-arm64', 'darwin-arm64.node'],
])

const { values } = parseArgs({ options: { target: { type: 'string', multiple: true, default: [] } } })
const asked = values.target.includes('all')
  ? [...addons.keys()].filter((target) => !target.endsWith('-baseline'))
  : values.target
const builds =
  asked.length > 0
    ? asked.map((target) => ({ target, name: `nines-${target}` }))
    : [{ target: ownTarget(), name: 'nines' }]
const unknown = builds.find(({ target }) => !addons.has(target))?.target
if (unknown !== undefined) {
  console.error(`no such target: ${unknown}; there are ${[...addons.keys()].join(', ')}, all`)
  process.exit(2)
}
const bun = installMissing()
mkdirSync(join(root, 'dist'), { recursive: true })
const noticesCode = await runChild(bun, [join(root, 'scripts', 'notices.ts')], { cwd: root }) // the executable contains them
if (noticesCode !== 0) process.exit(noticesCode)
const order = join(root, 'dist', 'start.order')
const recorded = join(root, 'dist', 'nines-recorded')
await compileOrExit(ownTarget(), recorded)
await recordStart(recorded, order)
rmSync(recorded)
for (const { target, name } of builds) {
  const outfile = join(root, 'dist', name)
  await compileOrExit(target, outfile, { order })
  expectAddon(outfile, addons.get(target))
}

/**
 * @param {string} target
 * @param {string} outfile
 * @param {{ order?: string }} [options]
 */
async function compileOrExit(target, outfile, options) {
  const code = await compile(bun, target, outfile, options)
  if (code !== 0) process.exit(code)
}

/**
 * Throws unless the executable contains exactly this addon. Otherwise the mistake would surface only on a user's machine.
 * @param {string} outfile
 * @param {string | undefined} addon
 */
function expectAddon(outfile, addon) {
  const executable = readFileSync(outfile)
  const prebuilds = join(root, 'node_modules', 'better-sqlite3', 'prebuilds')
  const found = readdirSync(prebuilds).filter((name) => executable.includes(readFileSync(join(prebuilds, name))))
  if (found.length !== 1 || found[0] !== addon) {
    throw new Error(
      `${outfile} must hold the SQLite addon ${addon} and no other; it holds ${found.join(', ') || 'none'}`,
    )
  }
}
