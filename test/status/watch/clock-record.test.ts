import { afterEach, beforeEach, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { createClockRecord } from '../../../src/status/watch/clock-watch.ts'
import { newDataDir, testApp, testStartMs } from '../../support/app.ts'

const hourMs = 3_600_000
const machine = { boot: 'a', ms: 1000, id: () => machine.boot, uptimeMs: () => machine.ms }
const clock = { ms: 0, now: () => clock.ms }

let dataDir: string
beforeEach(() => {
  dataDir = newDataDir()
  Object.assign(machine, { boot: 'a', ms: 1000 })
  clock.ms = testStartMs
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

const record = () => createClockRecord(dataDir, clock, machine)
const pass = (ms: number) => {
  clock.ms += ms
  machine.ms += ms
}

test('a clock that was set while nines did not run is distinguished from a nines that was switched off', () => {
  expect(record().jumpedMs()).toBeNull()
  record().write()
  pass(24 * hourMs)
  expect(record().jumpedMs()).toBe(0)
  clock.ms += hourMs
  expect(record().jumpedMs()).toBe(hourMs)
  clock.ms -= 2 * hourMs
  expect(record().jumpedMs()).toBe(-hourMs)
})

test('once the machine was restarted it is not known', () => {
  record().write()
  Object.assign(machine, { boot: 'b', ms: 10 })
  expect(record().jumpedMs()).toBeNull()
})

test('where there is no time of the machine nothing is kept, and nothing fails', () => {
  const none = { id: () => anchorMissing(), uptimeMs: () => 0 }
  const without = createClockRecord(dataDir, clock, none)
  without.write()
  expect(without.jumpedMs()).toBeNull()
})

function anchorMissing(): string {
  throw new Error('ENOENT')
}

test.each([hourMs, -hourMs])('a clock that is set by %p ms over a restart is a condition', async (jumpMs) => {
  const before = await testApp({ dataDir, bootClock: machine })
  await before.app.selfMonitoring.watch()
  await before.app.close()
  machine.ms += 60_000
  const nines = await testApp({ dataDir, bootClock: machine, startMs: testStartMs + 60_000 + jumpMs })
  await nines.app.clockWatch.check()
  await nines.app.selfMonitoring.watch()
  const { body } = await nines.call('GET', '/api/v1/health', undefined, { token: null })
  const message = `the clock of this machine was set 60 minutes ${jumpMs > 0 ? 'ahead' : 'back'}`
  expect(body).toMatchObject({ status: 'degraded', conditions: [{ name: 'clock_jumped', message }] })
  await nines.close()
})
