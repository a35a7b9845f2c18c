import { afterEach, beforeEach, expect, test } from 'bun:test'
import { type Alerting, alerting, critical, healthy, testStartMs } from './alerting.ts'

let world: Alerting
beforeEach(async () => {
  world = await alerting()
})
afterEach(() => world.close())

const inMinutes = (count: number) => new Date(testStartMs + count * 60_000).toISOString()

test('an alert is not notified while a silence is in force, and is as soon as that has ended', async () => {
  await world.rule('violation')
  await world.post('/notifications/silences', { slo_id: 1, until: inMinutes(3), comment: 'maintenance' })
  expect(await world.minutes(2, critical)).toEqual([])
  expect(await world.minute(critical)).toEqual(['1 alert violation status'])
})

test('an alert that began and ended during a silence is not notified', async () => {
  await world.rule('violation')
  await world.post('/notifications/silences', { slo_id: 1, until: inMinutes(9), comment: 'maintenance' })
  await world.minute(critical)
  expect(await world.minute(healthy)).toEqual([])
})

test('a recovery is notified, silence or not', async () => {
  await world.rule('violation')
  await world.minute(critical)
  await world.post('/notifications/silences', { slo_id: 1, until: inMinutes(9), comment: 'we know' })
  expect(await world.minute(healthy)).toEqual(['1 recovery recovery status'])
})

test('a rule notifies no more often than its interval; an alert that still holds then is notified, and recoveries always are', async () => {
  await world.rule('violation', { min_interval_seconds: 300 })
  expect(await world.minute(critical)).toEqual(['1 alert violation status'])
  expect(await world.minute(healthy)).toEqual(['1 recovery recovery status'])
  expect(await world.minutes(3, critical)).toEqual(['1 alert violation status throttled'])
  expect(await world.minute(critical)).toEqual(['1 alert violation status'])
  expect(await world.minute(healthy)).toEqual(['1 recovery recovery status'])
})

test('an alert that was throttled to its end has no recovery', async () => {
  await world.rule('violation', { min_interval_seconds: 3600 })
  await world.minute(critical)
  await world.minute(healthy)
  expect(await world.minute(critical)).toEqual(['1 alert violation status throttled'])
  expect(await world.minute(healthy)).toEqual([])
})

test('the same text is not sent twice inside the window for duplicates, and are after it if it still holds', async () => {
  await world.rule('violation', { subject: 'down', message: 'it is down' })
  expect(await world.minute(critical)).toEqual(['1 alert violation status'])
  expect(await world.minute(healthy)).toEqual(['1 recovery recovery status'])
  expect(await world.minutes(4, critical)).toEqual(['1 alert violation status throttled'])
  expect(await world.minute(critical)).toEqual(['1 alert violation status'])
})
