import { copyFileSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openApp } from '../../../src/app.ts'
import { readConfig } from '../../../src/config.ts'
import { createServer } from '../../../src/server.ts'
import { fillOverview } from '../page/data.ts'

/** `copy`: the database as it was when it was seeded, for those that are measured beside nines. */
export type Seeded = { dataDir: string; copy: string; token: string; sloId: number }

const slos = 100
const agoMs = 1_200_000 // so that `age_seconds` has four digits all the time

/** A folder of nines with 100 SLOs and 30 days of each. */
export async function seed(secret: string): Promise<Seeded> {
  const dataDir = mkdtempSync(join(tmpdir(), 'nines-bench-'))
  const quiet = { LOG_LEVEL: 'error', SOURCE_URL: '', RATE_LIMIT_PER_IP: '0', RATE_LIMIT_GLOBAL: '0' }
  const app = openApp(readConfig({ DATA_DIR: dataDir, JWT_SECRET: secret, ...quiet }))
  const server = createServer(app)
  const send = async (path: string, body: object, token = '') => {
    const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) }
    const init = { method: 'POST', headers, body: JSON.stringify(body) }
    const answer = await server.handle(new Request(`http://nines/api/v1${path}`, init))
    return (await answer.json()) as { access_token: string; id: number }
  }
  const account = { email: 'bench@example.com', name: 'Bench', password: 'correct horse battery' }
  const { access_token: token } = await send('/auth/register', account)
  const query = 'sum(rate(ok[5m])) / sum(rate(all[5m]))'
  const slo = { name: 'Checkout', target: 99.9, time_window: '30d', metric_type: 'availability', metric_query: query }
  const { id: sloId } = await send('/slos', slo, token)
  await fillOverview(app.db, { slos, exhausted: 5, nowMs: app.clock.now() - agoMs })
  await app.close()
  const copy = join(dataDir, 'copy.db')
  copyFileSync(join(dataDir, 'nines.db'), copy)
  return { dataDir, copy, token, sloId }
}
