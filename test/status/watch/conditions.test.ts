import { expect, test } from 'bun:test'
import { createConditions } from '../../../src/status/watch/conditions.ts'
import { createLog } from '../../../src/log.ts'

function watched() {
  const logged: string[] = []
  const clock = { nowMs: 1000, now: () => clock.nowMs }
  const log = createLog({ level: 'info', format: 'json', now: clock.now, write: (line) => void logged.push(line) })
  return { clock, logged, conditions: createConditions({ clock, log }) }
}

test('a condition is listed since it began, with the newest message and its advice', () => {
  const { clock, conditions } = watched()
  conditions.set('disk_full', 'first')
  clock.nowMs = 5000
  conditions.set('disk_full', 'second')
  expect(conditions.list()).toEqual([
    { name: 'disk_full', sinceMs: 1000, message: 'second', advice: 'free space in the data folder' },
  ])
})

test('a condition that is set to null is no longer listed', () => {
  const { conditions } = watched()
  conditions.set('clock_jumped', 'an hour ahead')
  conditions.set('clock_jumped', null)
  expect(conditions.list()).toEqual([])
})

test('the begin and the end of a condition are logged once each', () => {
  const { conditions, logged } = watched()
  for (const message of ['full', 'full', null, null]) conditions.set('disk_full', message)
  expect(logged.map((line) => JSON.parse(line).message)).toEqual(['condition began', 'condition ended'])
})
