import { afterEach, beforeEach, expect, test } from 'bun:test'
import { type Alerting, alerting, critical, healthy, testStartMs } from './alerting.ts'

let world: Alerting
beforeEach(async () => {
  world = await alerting()
})
afterEach(() => world.close())

const inMinutes = (count: number) => new Date(testStartMs + count * 60_000).toISOString()

test('an alert is not told while a silence is in force, and is as soon as that is over', async () => {
  await world.rule('violation')
  await world.post('/notifications/silences', { slo_id: 1, until: inMinutes(3), comment: 'maintenance' })
  expect(await world.minutes(2, critical)).toEqual([])
  expect(await world.minute(critical)).toEqual(['1 alert violation status'])
})

test('what began and ended under a silence is told to nobody', async () => {
  await world.rule('violation')
  await world.post('/notifications/silences', { slo_id: 1, until: inMinutes(9), comment: 'maintenance' })
  await world.minute(critical)
  expect(await world.minute(healthy)).toEqual([])
})

test('a recovery is told, silence or not', async () => {
  await world.rule('violation')
  await world.minute(critical)
  await world.post('/notifications/silences', { slo_id: 1, until: inMinutes(9), comment: 'we know' })
  expect(await world.minute(healthy)).toEqual(['1 recovery recovery status'])
})

test('a rule tells no more often than it may; what still holds then is told, and recoveries always are', async () => {
  await world.rule('violation', { min_interval_seconds: 300 })
  expect(await world.minute(critical)).toEqual(['1 alert violation status'])
  expect(await world.minute(healthy)).toEqual(['1 recovery recovery status'])
  expect(await world.minutes(3, critical)).toEqual(['1 alert violation status throttled'])
  expect(await world.minute(critical)).toEqual(['1 alert violation status'])
  expect(await world.minute(healthy)).toEqual(['1 recovery recovery status'])
})

test('of an alert that was throttled to its end, no recovery is told', async () => {
  await world.rule('violation', { min_interval_seconds: 3600 })
  await world.minute(critical)
  await world.minute(healthy)
  expect(await world.minute(critical)).toEqual(['1 alert violation status throttled'])
  expect(await world.minute(healthy)).toEqual([])
})

test('the same words are not sent twice inside the window for duplicates, and are after it if it still holds', async () => {
  await world.rule('violation', { subject: 'down', message: 'it is down' })
  expect(await world.minute(critical)).toEqual(['1 alert violation status'])
  expect(await world.minute(healthy)).toEqual(['1 recovery recovery status'])
  expect(await world.minutes(4, critical)).toEqual(['1 alert violation status throttled'])
  expect(await world.minute(critical)).toEqual(['1 alert violation status'])
})
