import { runChild } from './child.mjs'
import { installMissing, root } from './install.mjs'

const bun = installMissing()
// With a source of one's own there is something to look at already.
const command = (process.env.SOURCE_URL ?? 'embedded') === 'embedded' ? 'demo' : 'serve'
const env = { ...process.env, NODE_ENV: 'production' }
process.exitCode = await runChild(bun, [`${root}src/main.ts`, command, ...process.argv.slice(2)], { env })
