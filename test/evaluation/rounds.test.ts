import { expect, spyOn, test } from 'bun:test'
import { AppError } from '../../src/errors.ts'
import type { SourceOpener } from '../../src/sources/source.ts'
import { testApp } from '../support/app.ts'
import { countedSlo, countingScript } from '../support/counting-source.ts'
import { fakeSource } from '../support/fake-source.ts'

test('an SLO that is made while new ones are being evaluated has its turn as soon as they are', async () => {
  const asked = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<void>()
  const refuse = async () => {
    asked.resolve()
    await answer.promise
    throw new AppError('source_unavailable', 'no')
  }
  const opener: SourceOpener = { open: () => ({ name: 'slow', instant: refuse, range: refuse }) }
  await using nines = await opened({ env: { SOURCE_URL: 'http://slow.example' }, opener })
  const { call, app } = nines
  const stored = () => app.db.read.selectFrom('slo_states').select('slo_id').orderBy('slo_id').execute()
  const tickedUntil = async (count: number) => {
    for (let turns = 0; turns < 500 && (await stored()).length < count; turns += 1) {
      app.evaluator.tick()
      await new Promise<void>((resolve) => setImmediate(resolve))
    }
  }
  // there is no SLO yet
  app.evaluator.tick()
  await call('POST', '/api/v1/slos', countedSlo('shop'))
  app.evaluator.tick()
  await asked.promise
  await call('POST', '/api/v1/slos', countedSlo('cart'))
  await tickedUntil(1)
  expect(await stored()).toEqual([])
  answer.resolve()
  await tickedUntil(2)
  expect(await stored()).toEqual([{ slo_id: 1 }, { slo_id: 2 }])
  expect(nines.logged.filter((line) => line.includes('evaluation skipped'))).toEqual([])
})

test('other credentials may be of another tenant: what was counted for the old one is not built upon', async () => {
  using source = {
    ...fakeSource(countingScript({ shop: { total: 10, bad: 0.005 } })),
    [Symbol.dispose]: () => source.close(),
  }
  await using nines = await opened({ env: { SOURCE_URL: source.url } })
  const { call, app } = nines
  await call('POST', '/api/v1/slos', countedSlo('shop'))
  const evaluate = async () => {
    nines.clock.advance(60_000)
    source.asked.length = 0
    await app.evaluator.evaluateAll()
    return source.expressions().some((expression) => expression.includes('[2592000s]'))
  }
  expect(await evaluate()).toBe(true)
  expect(await evaluate()).toBe(false)
  const { body } = await call('GET', '/api/v1/tsdb/sources')
  const path = `/api/v1/tsdb/sources/${body.sources[0].id}`
  expect((await call('PUT', path, { auth: { headers: { 'X-Scope-OrgID': 'other' } } })).status).toBe(200)
  expect(await evaluate()).toBe(true)
  await call('PUT', path, { name: 'renamed' })
  expect(await evaluate()).toBe(false)
})

test('a source that hangs is not asked again before it is done, and holds up no other; sources begin one after another', async () => {
  const forever = new Promise<never>(() => {})
  const asked = { slow: 0, well: 0 }
  const ask = (name: string) => async () => {
    asked[name === 'slow' ? 'slow' : 'well'] += 1
    if (name === 'slow') return forever
    throw new AppError('source_unavailable', 'no')
  }
  const opener: SourceOpener = { open: ({ name }) => ({ name, instant: ask(name), range: ask(name) }) }
  await using nines = await opened({ opener })
  const { call, app, clock } = nines
  for (const name of ['slow', 'well']) {
    const { body } = await call('POST', '/api/v1/tsdb/sources', { name, api_url: `http://${name}.example` })
    await call('POST', '/api/v1/slos', { ...countedSlo(name), source_id: body.id })
  }
  const evaluatedAt = async () => (await app.db.read.selectFrom('slo_states').selectAll().execute())[0]?.evaluated_at
  const manyTurns = async () => {
    for (let turn = 0; turn < 300; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve))
  }
  const evaluatedBy = async (timeMs: number) => {
    while ((await evaluatedAt()) !== timeMs) await new Promise<void>((resolve) => setImmediate(resolve))
  }
  app.evaluator.tick() // at the start all begin at once
  await evaluatedBy(clock.now())
  await manyTurns() // the source that is well has closed its hours
  const { slow } = asked
  expect(slow).toBeGreaterThan(0)

  const before = clock.now()
  // a round has started; the second source follows 24 s after the first
  clock.advance(66_000)
  app.evaluator.tick()
  const passedOver = () => nines.logged.filter((line) => line.includes('evaluation skipped')).length
  while (passedOver() === 0) await new Promise<void>((resolve) => setImmediate(resolve))
  await manyTurns()
  expect(await evaluatedAt()).toBe(before)
  clock.advance(30_000)
  await evaluatedBy(clock.now())
  expect(asked.slow).toBe(slow)
  expect(passedOver()).toBe(1)
})

test('SLOs that begin to fail together are stored in two transactions, and those that stay as they are in one', async () => {
  let failsFrom = Infinity
  const shop = (timeSeconds: number) => ({ total: 10, bad: timeSeconds >= failsFrom ? 5 : 0 })
  using source = { ...fakeSource(countingScript({ shop })), [Symbol.dispose]: () => source.close() }
  await using nines = await opened({ env: { SOURCE_URL: source.url } })
  const { call, app, clock } = nines
  const slos = 60
  for (let at = 0; at < slos; at += 1) await call('POST', '/api/v1/slos', { ...countedSlo('shop'), name: `Shop ${at}` })
  const transactions = spyOn(app.db.write, 'transaction')
  const countOfRound = async () => {
    clock.advance(60_000)
    transactions.mockClear()
    const evaluations = await app.evaluator.evaluateAll()
    expect(evaluations).toHaveLength(slos)
    return transactions.mock.calls.length
  }
  await countOfRound()
  await countOfRound()
  const calm = await countOfRound()
  failsFrom = Math.floor(clock.now() / 1000)
  await countOfRound()
  expect(await countOfRound()).toBe(calm + 1)
  for (let minute = 0; minute < 10; minute += 1) await countOfRound()
  expect(await countOfRound()).toBe(calm)
  const stored = await app.db.read.selectFrom('slo_states').select('status').distinct().execute()
  expect(stored).toEqual([{ status: 'warning' }])
})

async function opened(options: Parameters<typeof testApp>[0]) {
  const nines = await testApp(options)
  await nines.join('ada')
  return Object.assign(nines, { [Symbol.asyncDispose]: () => nines.close() })
}
