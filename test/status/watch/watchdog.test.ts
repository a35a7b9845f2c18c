import { expect, test } from 'bun:test'
import { createLog } from '../../../src/log.ts'
import { createConditions } from '../../../src/status/watch/conditions.ts'
import { createWatchdog, type HealthCheckResult } from '../../../src/status/watch/watchdog.ts'

function watched() {
  const logged: string[] = []
  const clock = { now: () => 0 }
  const log = createLog({ level: 'info', format: 'json', now: clock.now, write: (line) => void logged.push(line) })
  const conditions = createConditions({ clock, log })
  const found: { outbox: HealthCheckResult; disk: () => HealthCheckResult } = { outbox: undefined, disk: () => null }
  const healthChecks = { outbox_delayed: () => found.outbox, disk_nearly_full: async () => found.disk() }
  const watchdog = createWatchdog({ log, conditions, healthChecks, onCheck: () => {} })
  return { found, conditions, logged, check: watchdog.check, names: () => conditions.list().map(({ name }) => name) }
}

test('a condition holds while it is found, and is not known before something was found out', async () => {
  const { found, conditions, check, names } = watched()
  await check()
  expect([conditions.isKnown('outbox_delayed'), conditions.isKnown('disk_nearly_full')]).toEqual([false, true])
  found.outbox = 'late'
  await check()
  expect(names()).toEqual(['outbox_delayed'])
  found.outbox = undefined
  await check()
  expect(names()).toEqual([])
})

test('a look that throws leaves its condition, holds up no other, and is logged once', async () => {
  const { found, check, names, logged } = watched()
  found.disk = () => 'full'
  await check()
  found.disk = () => {
    throw new Error('broken')
  }
  found.outbox = 'late'
  await check()
  await check()
  expect(names()).toEqual(['disk_nearly_full', 'outbox_delayed'])
  expect(logged.filter((line) => line.includes('condition cannot be checked'))).toHaveLength(1)
})
