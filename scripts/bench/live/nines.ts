import { sql } from 'kysely'
import { putEvaluations } from '../../../src/evaluation/evaluation-store.ts'
import { evaluation } from '../page/data.ts'
import { openFilled } from '../support/nines-here.ts'

/** Messages from the benchmark: drop cached results, or evaluate the next 250 SLOs. */
export type ToLiveServer = 'forget' | 'evaluate'
/** Messages to the benchmark: first the address and a token, then a confirmation of each message. */
export type FromLiveServer = { url: string; token: string } | 'done'

const day = 86_400
const slosPerBatch = 250

/**
 * Starts nines with evaluated SLOs. They have either evaluations from a day and a week ago, or 30 days of buckets, with an hour
 * bucket for each hour that has ended.
 */
async function serve(slos: number, hasBuckets: boolean): Promise<void> {
  const filling = { slos, exhausted: 2, hasPast: hasBuckets, hoursOpen: 0 }
  const { app, token, listen } = await openFilled(filling, { QUOTA_SLOS: String(slos) })
  const minute = Math.floor(app.clock.now() / 60_000) * 60
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
      const ofRound = app.db.read.selectFrom('slos').selectAll().where('id', '>', evaluated).limit(slosPerBatch)
      const evaluations = (await ofRound.execute()).map(({ id, organization_id, revision, updated_at }) =>
        evaluation(
          { sloId: id, organizationId: organization_id, revision, sloUpdatedAtMs: updated_at },
          false,
          app.clock.now(),
        ),
      )
      await app.db.write.transaction().execute((trx) => putEvaluations(trx, evaluations))
      evaluated = (evaluated + slosPerBatch) % slos
    }
    process.send?.('done' satisfies FromLiveServer)
  })
  process.send?.({ url: listen(), token } satisfies FromLiveServer)
}

if (import.meta.main) await serve(Number(process.argv[2]), process.argv[3] === 'buckets')
