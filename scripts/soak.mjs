import { runChild } from './child.mjs'
import { installMissing, root } from './install.mjs'

process.exitCode = await runChild(installMissing(), [`${root}scripts/soak/main.ts`, ...process.argv.slice(2)], {
  env: { NINES_BIN: `${root}dist/nines`, ...process.env },
})
