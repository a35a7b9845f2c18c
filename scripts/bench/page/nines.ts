import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openApp } from '../../../src/app.ts'
import { readConfig } from '../../../src/config.ts'
import { createServer } from '../../../src/server.ts'
import { fillOverview } from './data.ts'

export const account = { email: 'bench@example.com', name: 'Bench', password: 'correct horse battery' }

/** What the bench sends: `round`, so that each SLO has new figures. What it gets: the address, and when a round was sent. */
export type FromPageServer = { url: string } | 'sent'

/** nines with so many SLOs, given as an argument, of which half have no budget left, and 30 days of each. */
async function serve(slos: number): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'nines-bench-'))
  process.once('exit', () => rmSync(dataDir, { recursive: true, force: true }))
  process.once('SIGTERM', () => process.exit(0))
  const noLimits = { RATE_LIMIT_PER_IP: '0', RATE_LIMIT_GLOBAL: '0', SOURCE_URL: '' }
  const app = openApp(readConfig({ DATA_DIR: dataDir, LOG_LEVEL: 'error', ...noLimits }))
  const server = createServer(app)
  const send = async (path: string, body: object, token = '') => {
    const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) }
    const init = { method: 'POST', headers, body: JSON.stringify(body) }
    const answer = await server.handle(new Request(`http://nines/api/v1${path}`, init))
    return (await answer.json()) as { access_token: string }
  }
  const { access_token: token } = await send('/auth/register', account)
  const query = 'sum(rate(ok[5m])) / sum(rate(all[5m]))'
  const slo = { name: 'Checkout', target: 99.9, time_window: '30d', metric_type: 'availability', metric_query: query }
  await send('/slos', slo, token)
  const ids = await fillOverview(app.db, { slos, exhausted: 5, nowMs: app.clock.now() })
  let round = 0
  process.on('message', () => {
    round++
    for (const [at, sloId] of ids.entries()) {
      app.hub.publish(
        {
          sloId,
          organizationId: 1,
          status: (at + round) % 2 === 0 ? 'critical' : 'healthy',
          current: 99.8,
          target: 99.9,
          budgetUsed: ((at * 7 + round * 13) % 300) + 1,
          atMs: app.clock.now(),
        },
        { isEvaluation: true },
      )
    }
    process.send?.('sent' satisfies FromPageServer)
  })
  server.listen({ hostname: '127.0.0.1', port: 0 })
  process.send?.({ url: `http://127.0.0.1:${server.server?.port}` } satisfies FromPageServer)
}

if (import.meta.main) await serve(Number(process.argv[2]))
