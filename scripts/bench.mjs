import { runChild } from './child.mjs'
import { installMissing, root } from './install.mjs'

process.exitCode = await runChild(installMissing(), [`${root}scripts/bench/main.ts`, ...process.argv.slice(2)])
