import { runChild } from './child.mjs'
import { installMissing, root } from './install.mjs'

const bun = installMissing()
// Starts the demo, unless a source is configured: then there is data to look at already.
const command = (process.env.SOURCE_URL ?? 'embedded') === 'embedded' ? 'demo' : 'serve'
const env = { ...process.env, NODE_ENV: 'production' }
const given = process.argv.slice(2)
// The server restarts when one of its files changes; open tabs reload when a file of the page changes.
const flags = given[0] === '--dev' ? ['--watch', '--no-clear-screen', '--define=DEV_PAGE=true'] : []
const args = given.slice(flags.length > 0 ? 1 : 0)
process.exitCode = await runChild(bun, [...flags, `${root}src/main.ts`, command, ...args], { env })
