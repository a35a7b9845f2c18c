import { expect, test } from 'bun:test'
import { testApp, testStartMs } from '../support/app.ts'
import { countedSlo, countingScript } from '../support/counting-source.ts'
import { fakeSource } from '../support/fake-source.ts'

test('hours of more SLOs than are evaluated together are closed a minute later', async () => {
  using source = {
    ...fakeSource(countingScript({ shop: { total: 10, bad: 0.005 } })),
    [Symbol.dispose]: () => source.close(),
  }
  await using nines = await opened({ SOURCE_URL: source.url, EVALUATION_INTERVAL: '0', QUOTA_SLOS: '300' })
  const { app, call } = nines
  expect((await call('POST', '/api/v1/slos', countedSlo('shop'))).status).toBe(201)
  await app.db.write.transaction().execute(async (trx) => {
    const { id: _, ...slo } = await trx.selectFrom('slos').selectAll().executeTakeFirstOrThrow()
    const {
      id: __,
      slo_id: ___,
      ...revision
    } = { id: 0, ...(await trx.selectFrom('slo_revisions').selectAll().executeTakeFirstOrThrow()) }
    for (let count = 1; count <= 250; count += 1) {
      const { id } = await trx
        .insertInto('slos')
        .values({ ...slo, name: `copy ${count}` })
        .returning('id')
        .executeTakeFirstOrThrow()
      await trx
        .insertInto('slo_revisions')
        .values({ ...revision, slo_id: id })
        .execute()
    }
  })
  const hour = { resolution: 3600 as const, start: testStartMs / 1000 }
  const closed = async () => {
    const rows = app.db.read.selectFrom('buckets').select('slo_id')
    return (await rows.where('resolution', '=', hour.resolution).where('start', '=', hour.start).execute()).length
  }
  const evaluateIn = async (minutes: number) => {
    nines.clock.advance(minutes * 60_000)
    await app.evaluator.evaluateAll()
    return closed()
  }
  nines.clock.advance(5000)
  await evaluateIn(57) // three minutes before the hour ends
  const before = await closed()
  expect([before, await evaluateIn(5), await evaluateIn(1), await evaluateIn(1)]).toEqual([0, 0, 250, 251])
})

async function opened(env: Record<string, string>) {
  const nines = await testApp({ env })
  await nines.join('ada')
  return Object.assign(nines, { [Symbol.asyncDispose]: () => nines.close() })
}
