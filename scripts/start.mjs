import { runChild } from './child.mjs'
import { installMissing, root } from './install.mjs'

const bun = installMissing()
if (!process.env.SOURCE_URL) {
  const start = process.versions.bun ? 'bun run start' : 'npm start'
  console.error(`SOURCE_URL is not set, so new organizations begin without a metrics source. To use a Prometheus:
  SOURCE_URL=http://localhost:9090 ${start}`)
}
process.exitCode = await runChild(bun, [`${root}src/main.ts`, 'serve', ...process.argv.slice(2)])
