import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { openApp } from '../../../src/app.ts'
import { readConfig } from '../../../src/config.ts'
import { createServer } from '../../../src/server.ts'
import { putEvaluations } from '../../../src/evaluation/evaluation-store.ts'
import { evaluation, fillOverview } from '../page/data.ts'

/** What the bench sends: the results that are kept are to be dropped, or SLOs to be evaluated once more, 250 at a time. */
export type ToLiveServer = 'forget' | 'evaluate'
/** What it gets: first the address and a token, then that it is done. */
export type FromLiveServer = { url: string; token: string } | 'done'

const day = 86_400
const slosAtOnce = 250

/**
 * nines with so many evaluated SLOs. Either each has evaluations of a day and a week ago, or 30 days of buckets, of which the
 * hours have ended that have.
 */
async function serve(slos: number, hasBuckets: boolean): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'nines-bench-'))
  process.once('exit', () => rmSync(dataDir, { recursive: true, force: true }))
  process.once('SIGTERM', () => process.exit(0))
  const noLimits = { RATE_LIMIT_PER_IP: '0', RATE_LIMIT_GLOBAL: '0', SOURCE_URL: '', QUOTA_SLOS: String(slos) }
  const app = openApp(readConfig({ DATA_DIR: dataDir, LOG_LEVEL: 'error', ...noLimits }))
  const server = createServer(app)
  const send = async (path: string, body: object, token = '') => {
    const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) }
    const init = { method: 'POST', headers, body: JSON.stringify(body) }
    const answer = await server.handle(new Request(`http://nines/api/v1${path}`, init))
    return (await answer.json()) as { access_token: string }
  }
  const account = { email: 'bench@example.com', name: 'Bench', password: 'correct horse battery' }
  const { access_token: token } = await send('/auth/register', account)
  const query = 'sum(rate(ok[5m])) / sum(rate(all[5m]))'
  const slo = { name: 'Checkout', target: 99.9, time_window: '30d', metric_type: 'availability', metric_query: query }
  await send('/slos', slo, token)
  const nowMs = app.clock.now()
  await fillOverview(app.db, { slos, exhausted: 2, nowMs, hasPast: hasBuckets, hoursOpen: 0 })
  const minute = Math.floor(nowMs / 60_000) * 60
  for (const [ago, apart] of hasBuckets
    ? []
    : [
        [day, 60],
        [7 * day, 3600],
      ]) {
    await sql`
      insert into evaluations
        (slo_id, at, revision, status, current_value, own_value, budget_used, burn_rates, resolution, rolled_up, worst_status)
      select slos.id, ${minute} - ${ago} + before.value * ${apart}, revision, 'healthy', 99 + slos.id / 1e5, 99.9, 10, '[]', 0, 1,
        'healthy'
      from slos, json_each('[-2, -1, 0, 1, 2, 3, 4, 5]') as before`.execute(app.db.write)
  }
  let evaluated = 0
  process.on('message', async (message: ToLiveServer) => {
    if (message === 'forget') await app.cache.remove(1, { type: 'all' })
    else {
      const ofRound = app.db.read.selectFrom('slos').selectAll().where('id', '>', evaluated).limit(slosAtOnce)
      const evaluations = (await ofRound.execute()).map(({ id, organization_id, revision, updated_at }) =>
        evaluation(
          { sloId: id, organizationId: organization_id, revision, sloUpdatedAtMs: updated_at },
          false,
          app.clock.now(),
        ),
      )
      await app.db.write.transaction().execute((trx) => putEvaluations(trx, evaluations))
      evaluated = (evaluated + slosAtOnce) % slos
    }
    process.send?.('done' satisfies FromLiveServer)
  })
  server.listen({ hostname: '127.0.0.1', port: 0 })
  process.send?.({ url: `http://127.0.0.1:${server.server?.port}`, token } satisfies FromLiveServer)
}

if (import.meta.main) await serve(Number(process.argv[2]), process.argv[3] === 'buckets')
