import { afterEach, describe, expect, test } from 'bun:test'
import { closeAll } from '../support/closing.ts'
import type { Nines } from '../support/process.ts'
import { outageWorld } from './outage-world.ts'

afterEach(closeAll)

const intervalSeconds = 10
/** Seconds until something holds; throws after `maxSeconds`. */
async function secondsUntil(maxSeconds: number, holds: () => boolean | Promise<boolean>): Promise<number> {
  const beganMs = performance.now()
  while (!(await holds())) {
    if (performance.now() - beganMs > maxSeconds * 1000) throw new Error(`not within ${maxSeconds} s`)
    await Bun.sleep(100)
  }
  return (performance.now() - beganMs) / 1000
}

async function isProbedGood(nines: Nines, token: string): Promise<boolean> {
  const { body } = await nines.call('GET', '/api/v1/embedded/probes/1', undefined, token)
  return body.health.recent.filter(({ ok }: { ok: boolean }) => ok).length >= 2
}

describe('an outage of a probed address', () => {
  test('is notified within an interval and 20 s, its end within two intervals and 5 s, each once over a SIGKILL', async () => {
    const world = await outageWorld(intervalSeconds)
    await secondsUntil(60, () => isProbedGood(world.nines, world.token))
    world.isUp = false
    const down = await secondsUntil(90, () => world.heard.length > 0)
    expect(down).toBeLessThan(intervalSeconds + 20 + busySeconds)
    expect(world.heard[0]?.subject).toMatch(/^My site is down since \d\d:\d\d:\d\d UTC: HTTP 503, expected 2xx$/)
    world.nines.kill('SIGKILL')
    await world.nines.exited
    const next = await world.start()
    await secondsUntil(60, async () => {
      const { body } = await next.call('GET', '/api/v1/embedded/probes/1', undefined, world.token)
      return body.health.down_since !== null
    })
    expect(world.heard).toHaveLength(1)
    world.isUp = true
    const up = await secondsUntil(90, () => world.heard.length > 1)
    expect(up).toBeLessThan(2 * intervalSeconds + 5 + busySeconds)
    expect(world.heard[1]?.subject).toMatch(/^My site is up again after [\d ]+(s|min)( \d+ s)?$/)
    await Bun.sleep(20_000) // nothing follows
    expect(world.heard.map(({ subject }) => subject.slice(0, 15))).toEqual(['My site is down', 'My site is up a'])
  }, 300_000)
})

const busySeconds = 5
