import { afterEach, beforeEach, expect, test } from 'bun:test'
import { readExposition } from '../../support/exposition.ts'
import { testApp, type TestApp, testStartMs } from '../../support/app.ts'
import { put, evaluation } from '../../support/evaluations.ts'
import { checkout } from '../../support/slo-calls.ts'

let nines: TestApp
beforeEach(async () => {
  nines = await testApp()
  await nines.join('ada')
})
afterEach(() => nines.close())

const hourMs = 3_600_000
const isSteady = async () => (await nines.call('GET', '/api/v1/health')).body.services.clock
const jump = async () => {
  const { text } = await nines.call('GET', '/metrics', undefined, { token: null })
  return readExposition(text).value('nines_clock_jump_seconds')
}

test.each([-40 * 24, -1, 1, 40 * 24])('a clock set by %p h is reported for ten minutes', async (hours) => {
  nines.clock.advance(hourMs)
  await nines.app.clockWatch.check()
  expect([await isSteady(), await jump()]).toEqual([true, 0])
  nines.clock.jump(hours * hourMs)
  await nines.app.clockWatch.check()
  expect([await isSteady(), await jump()]).toEqual([false, hours * 3600])
  expect(nines.logged.join('')).toContain(`"clock jumped","seconds":${hours * 3600}`)
  nines.clock.advance(599_999)
  expect(await isSteady()).toBe(false)
  nines.clock.advance(1)
  expect([await isSteady(), await jump()]).toEqual([true, 0])
})

test('a clock that was set back while nines did not run is reported at the start', async () => {
  await nines.call('POST', '/api/v1/slos', checkout)
  await put(nines.app.db.write, evaluation())
  await nines.app.close()
  nines = await testApp({ dataDir: nines.dataDir, startMs: testStartMs - hourMs })
  await nines.app.clockWatch.check()
  expect(nines.app.clockWatch.jumpedSeconds()).toBe(-3600)
})
