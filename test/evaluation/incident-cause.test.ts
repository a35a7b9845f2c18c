import { afterEach, expect, test } from 'bun:test'
import { closeAll } from '../support/closing.ts'
import { shop } from './shop-world.ts'

afterEach(closeAll)

test('an incident names the route that fails, in its message, its answers and the state of its SLO', async () => {
  const { nines, minutes, incidents, messages } = await shop()
  await minutes(4, { '/checkout': 1 })
  const text = 'route=/checkout has 100 % of the failures with 32 % of the traffic'
  const [incident] = await incidents()
  expect(incident.cause).toMatchObject({ label: 'route', value: '/checkout', text })
  expect(incident.cause.failures_percent).toBeCloseTo(100, 3)
  expect(incident.cause.traffic_percent).toBeCloseTo(32, 3)
  expect((await nines.call('GET', `/api/v1/incidents/${incident.id}`)).body.data.cause).toEqual(incident.cause)
  const [message] = await messages()
  expect(message?.message.split('\n')[0]).toBe(text)
  expect(JSON.parse(message?.metadata ?? '').incident.cause).toEqual(incident.cause)
  const reason = 'route=/checkout has 100 % of the failures'
  const { body } = await nines.call('GET', '/api/v1/slos/overview')
  expect(body.slos[0]).toMatchObject({ state: 'burning_fast', state_reason: reason })
  expect((await nines.call('GET', '/api/v1/slos/1/budget')).body).toMatchObject({ state_reason: reason })
}, 120_000)

test('the cause follows what fails while it burns, and stays once it is over', async () => {
  const { minutes, incidents } = await shop()
  await minutes(4, { '/checkout': 1 })
  expect((await incidents())[0].cause.value).toBe('/checkout')
  await minutes(8, { '/search': 1 })
  expect((await incidents())[0].cause.value).toBe('/search')
  await minutes(30)
  expect(await incidents('closed')).toMatchObject([{ cause: { value: '/search' } }])
}, 120_000)

test('of many SLOs that begin to burn at once, 8 are asked about in each minute, until all have a cause', async () => {
  const { minutes, incidents } = await shop({ slos: 30 })
  const withCause = async () => {
    const all: { cause: object | null }[] = await incidents()
    return [all.length, all.filter(({ cause }) => cause !== null).length]
  }
  await minutes(3, { '/checkout': 1 })
  expect(await withCause()).toEqual([30, 24])
  await minutes(1, { '/checkout': 1 })
  expect(await withCause()).toEqual([30, 30])
}, 120_000)
