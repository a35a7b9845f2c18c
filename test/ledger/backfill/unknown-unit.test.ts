import { afterEach, expect, test } from 'bun:test'
import { importSamples } from '../../../src/embedded/import-samples.ts'
import { startBackfill } from '../../../src/slos/backfills/store.ts'
import { getSlo } from '../../../src/slos/store.ts'
import { type TestApp, testApp, testStartMs } from '../../support/app.ts'

const day = 86_400
const nowSeconds = Math.floor(testStartMs / 60_000) * 60
const keepMs = 60 * day * 1000

let nines: TestApp
afterEach(() => nines.close())

/** Imports a sample each minute up to so many seconds ago, of which each tenth is 0, the others `good`. */
async function importTenDays(good: number, untilSecondsAgo: number): Promise<void> {
  const { samples: store, clock } = nines.app
  const minutes = Array.from({ length: 10 * 1440 - untilSecondsAgo / 60 }, (_, n) => n)
  const lines = minutes.map((n) => `site_ok ${n % 10 === 0 ? 0 : good} ${nowSeconds - 10 * day + 60 * n + 7}\n`)
  const chunks = new Blob(['# TYPE site_ok gauge\n', ...lines, '# EOF\n']).stream()
  await importSamples({ store, clock, organizationId: 1, chunks, keepMs })
}

async function createSlo(time_window: string): Promise<number> {
  const slo = { name: 'Up', target: 99, time_window, metric_type: 'availability', metric_query: 'site_ok' }
  return (await nines.call('POST', '/api/v1/slos', slo)).body.id
}

async function startNines(): Promise<void> {
  nines = await testApp({ env: { SOURCE_URL: 'embedded' }, startMs: 1000 * nowSeconds + 5000 })
  await nines.join('ada')
}

const daysOf = async (id: number) =>
  (await nines.call('GET', `/api/v1/slos/${id}/series?period=7d&step=1d`)).body.points.slice(1, -1)

test.each([1, 100])(
  'the past that comes after an SLO was evaluated without data is measured whole, where %d is good',
  async (good) => {
    await startNines()
    const id = await createSlo('7d')
    await nines.app.backfills.run()
    await nines.app.evaluator.evaluateAll()
    await importTenDays(good, 0)
    const slo = await getSlo(nines.app.db.read, 1, id)
    await nines.app.db.write.transaction().execute((trx) => startBackfill(trx, slo, nines.clock.now()))
    await nines.app.backfills.run()
    for (const point of await daysOf(id)) expect(point).toMatchObject({ sli: 90, coverage: 1 })
    await nines.app.evaluator.evaluateAll()
    expect((await nines.call('GET', `/api/v1/slos/${id}/budget`)).body.sli).toBeCloseTo(90, 1)
  },
)

test('the past of an SLO whose own window has no data is measured whole', async () => {
  await startNines()
  await importTenDays(1, 7200)
  const id = await createSlo('1h')
  await nines.app.backfills.run()
  for (const point of await daysOf(id)) expect(point).toMatchObject({ sli: 90, coverage: 1 })
})
