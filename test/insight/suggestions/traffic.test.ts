import { afterEach, expect, test } from 'bun:test'
import { addUser } from '../../support/accounts.ts'
import { closeAll } from '../../support/closing.ts'
import { collect, emptySource, foundIn, recorded, suggestionsOf } from './recorded.ts'

afterEach(closeAll)

const names = (body: { suggestions: { slo: { name: string } }[] }) => body.suggestions.map(({ slo }) => slo.name)

test('an empty source has nothing, and says so', async () => {
  const nines = await emptySource()
  expect(await foundIn(nines)).toMatchObject({ metrics_found: 0, suggestions: [], gaps: [] })
})

test('counters that stand still, or are gone for more than a day, are not suggested', async () => {
  const nines = await emptySource()
  await collect(nines, await recorded('go-http'), { days: 5, endedHoursAgo: 25 })
  const counter = (job: string) => ({ name: 'batch_requests_total', labels: { job, code: '200' }, value: 500 })
  await collect(nines, [counter('moving')], { endedHoursAgo: 20 })
  await collect(nines, [counter('still')], { isStill: true })
  const body = await foundIn(nines)
  expect(names(body)).toEqual(['moving answers (batch_requests_total)'])
})

test('the answer is kept for five minutes, and not beyond', async () => {
  const nines = await emptySource()
  expect(names(await foundIn(nines))).toEqual([])
  nines.clock.advance(60_000)
  await collect(nines, await recorded('haproxy'))
  expect(names(await foundIn(nines))).toEqual([])
  nines.clock.advance(4 * 60_000 + 1)
  expect(names(await foundIn(nines))).toEqual(['web answers (HAProxy)'])
})

test('a past of less than half a window suggests no target, but one to begin with', async () => {
  const nines = await emptySource()
  await collect(nines, await recorded('haproxy'), { days: 3 })
  const [found] = (await foundIn(nines)).suggestions
  expect(found).toMatchObject({ suggested_target: null, slo: { target: 99.5 } })
  expect(found.reason).toBe('Only 3 days of the last 30 are known; they reached 99.59 %.')
  expect(found.days.slice(0, 27)).toEqual(Array.from({ length: 27 }, () => null))
})

test('a viewer may look, nobody else but the organization may', async () => {
  const nines = await emptySource()
  await collect(nines, await recorded('haproxy'))
  const eve = await nines.join('eve')
  expect((await suggestionsOf(nines, 1, eve)).status).toBe(404)
  expect((await suggestionsOf(nines, 2, eve)).body.suggestions).toEqual([])
  expect((await suggestionsOf(nines, 1, 'nonsense')).status).toBe(401)
  expect((await suggestionsOf(nines, 1, await addUser(nines, 'vera', 'viewer'))).status).toBe(200)
})
