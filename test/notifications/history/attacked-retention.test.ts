import { afterEach, beforeEach, expect, test } from 'bun:test'
import { pruneOldRows } from '../../../src/jobs/prune.ts'
import { type Alerting, alerting, critical, healthy } from '../alerts/alerting.ts'

let on: Alerting
beforeEach(async () => {
  on = await alerting()
})
afterEach(() => on.close())

test('an alert that outlasts RETENTION_DAYS is not notified again, and its recovery is', async () => {
  await on.rule('violation')
  expect(await on.minute(critical)).toEqual(['1 alert violation status'])
  await on.settle('delivered')
  on.nines.clock.advance(401 * 86_400_000)
  await pruneOldRows(on.nines.app)
  expect(await on.outbox()).toHaveLength(1)
  expect(await on.minute(critical)).toEqual([])
  expect(await on.minute(healthy)).toEqual(['1 recovery recovery status'])
  await on.settle('delivered')
  on.nines.clock.advance(401 * 86_400_000)
  await pruneOldRows(on.nines.app)
  expect(await on.outbox()).toEqual([])
})
