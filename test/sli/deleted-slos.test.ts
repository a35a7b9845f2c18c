import { afterEach, expect, test } from 'bun:test'
import { AppError } from '../../src/errors.ts'
import type { SourceOpener } from '../../src/sources/source.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { closeAll, closeLater } from '../support/closing.ts'
import { fakeSource } from '../support/fake-source.ts'
import { queryCalls } from '../support/query-calls.ts'

let nines: TestApp
afterEach(async () => {
  await nines.close()
  closeAll()
})

test('a stored query that waits is not sent once its SLO is deleted', async () => {
  const asked: string[] = []
  const { promise: answered, reject } = Promise.withResolvers<never>()
  const opener: SourceOpener = {
    open: ({ name }) => ({
      name,
      instant: (expression) => {
        asked.push(expression)
        return answered
      },
      range: () => answered,
    }),
  }
  // one at a time
  nines = await testApp({ opener, env: { SOURCE_URL: 'http://prod.example', EVALUATION_CONCURRENCY: '2' } })
  await nines.join('ada')
  const on = await queryCalls(nines)
  for (const source_query of ['first', 'second', 'third']) await on.stored({ source_query })
  const running = nines.app.sourceQueryRuns.runDue()
  while (asked.length === 0) await Bun.sleep(1)
  await nines.call('DELETE', `/api/v1/slos/${on.slo}`)
  reject(new AppError('source_unavailable', 'metrics source did not answer'))
  await running
  expect(asked).toEqual(['first'])
})

test('an evaluation that waits does not query for an SLO that is deleted by then', async () => {
  const source = fakeSource(() => 0.999)
  closeLater(source.close)
  nines = await testApp({ env: { SOURCE_URL: source.url } })
  await nines.join('ada')
  const slo = { target: 99, time_window: '1h', metric_type: 'availability' }
  const create = async (name: string) =>
    (await nines.call('POST', '/api/v1/slos', { ...slo, name, metric_query: `avg(${name})` })).body.id
  const deleted = await create('deleted')
  await create('kept')
  await nines.app.evaluator.evaluateAll()
  const asksFor = (name: string) => source.expressions().filter((one) => one.includes(name)).length
  nines.clock.advance(60_000)
  nines.app.evaluator.tick() // the first begins at once
  while (asksFor('kept') < 2) await Bun.sleep(5)
  await nines.app.evaluator.evaluateAll() // does not wait for the previous round
  await untilQuiet(() => source.expressions().length)
  const before = { deleted: asksFor('deleted'), kept: asksFor('kept') }
  nines.clock.advance(60_000)
  nines.app.evaluator.tick() // listed now, queried five seconds later
  await nines.call('DELETE', `/api/v1/slos/${deleted}`)
  nines.clock.advance(6000)
  while (asksFor('kept') === before.kept) await Bun.sleep(5)
  expect(asksFor('deleted')).toBe(before.deleted)
})

/** Waits until a count has not changed for 20 turns of the event loop, 5 ms each. */
async function untilQuiet(count: () => number): Promise<void> {
  for (let quiet = 0, before = count(); quiet < 20; quiet += 1) {
    await Bun.sleep(5)
    if (count() !== before) quiet = -1
    before = count()
  }
}
