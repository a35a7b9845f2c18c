import { runChild } from './child.mjs'
import { installMissing, root } from './install.mjs'

const bun = installMissing()
// With a source of one's own there is something to look at already.
const command = (process.env.SOURCE_URL ?? 'embedded') === 'embedded' ? 'demo' : 'serve'
process.exitCode = await runChild(bun, [`${root}src/main.ts`, command, ...process.argv.slice(2)])
