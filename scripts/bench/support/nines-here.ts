import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openApp } from '../../../src/app.ts'
import { readConfig } from '../../../src/config.ts'
import { createServer } from '../../../src/server.ts'
import { fillOverview } from '../page/data.ts'
import { noLimits, signUp } from './processes.ts'

/** Creates a folder that is removed when this process ends. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'nines-bench-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  process.once('SIGTERM', () => process.exit(0))
  return folder
}

/** Opens nines in this process, without a source, and without a socket until `listen`, which returns its address. */
export function openNines(env: Record<string, string> = {}) {
  const app = openApp(
    readConfig({ LOG_LEVEL: 'error', SOURCE_URL: '', ...noLimits, ...env, DATA_DIR: env['DATA_DIR'] ?? newFolder() }),
  )
  const server = createServer(app)
  return {
    app,
    url: 'http://127.0.0.1',
    handle: (request: Request) => server.handle(request),
    listen() {
      server.listen({ hostname: '127.0.0.1', port: 0 })
      return `http://127.0.0.1:${server.server?.port}`
    },
  }
}

type Filling = Omit<Parameters<typeof fillOverview>[1], 'nowMs'> & { agoMs?: number }

/** Opens nines in this process with an account and SLOs, which `fillOverview` creates as of `agoMs` ago. */
export async function openFilled({ agoMs = 0, ...filling }: Filling, env: Record<string, string> = {}) {
  const nines = openNines(env)
  const account = await signUp(nines)
  await account.send('POST', '/api/v1/slos', checkout)
  const ids = await fillOverview(nines.app.db, { ...filling, nowMs: nines.app.clock.now() - agoMs })
  return { ...nines, ...account, ids }
}

/** SLO whose source is never queried. */
export const checkout = {
  name: 'Checkout',
  target: 99.9,
  time_window: '30d',
  metric_type: 'availability',
  metric_query: 'sum(rate(ok[5m])) / sum(rate(all[5m]))',
}
