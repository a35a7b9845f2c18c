import { describe, expect, test } from 'bun:test'
import { collectorWorld, startMs, target } from './collector-world.ts'

const hour = 3_600_000
const gaps = (times: number[]) => times.slice(1).map((time, at) => time - (times[at] ?? 0))

describe('an item', () => {
  test('is run once an interval, at the same second of it, which its samples carry', async () => {
    const world = collectorWorld(target({ id: 1 }), target({ id: 2, intervalMs: 10_000 }))
    await world.begin()
    await world.pass(120)
    expect(world.timesOf(1)).toHaveLength(4)
    expect(gaps(world.timesOf(1))).toEqual([30_000, 30_000, 30_000])
    expect(new Set(gaps(world.timesOf(2)))).toEqual(new Set([10_000]))
    const again = collectorWorld(target({ id: 1 }))
    again.nowMs += 7000
    await again.begin()
    await again.pass(120)
    expect((again.timesOf(1)[0] ?? 0) % 30_000).toBe((world.timesOf(1)[0] ?? 1) % 30_000)
  })

  test('has a second of its own', async () => {
    const world = collectorWorld(...Array.from({ length: 300 }, (_, id) => target({ id })))
    await world.begin()
    await world.pass(30)
    const perSecond = Map.groupBy(world.written, ({ timeMs }) => timeMs)
    expect(world.written).toHaveLength(300)
    expect(perSecond.size).toBe(30)
    expect(Math.max(...[...perSecond.values()].map((some) => some.length))).toBeLessThan(40)
  })

  test('carries the time it was due where the tick is late, and is passed over where that is much', async () => {
    const world = collectorWorld(target({ id: 1 }))
    await world.begin()
    await world.pass(30)
    const [first = 0] = world.timesOf(1)
    world.nowMs = first + 30_000 + 2345
    await world.pass(1)
    expect(world.timesOf(1)).toEqual([first, first + 30_000])
    world.nowMs = first + 60_000 + 6000
    await world.pass(40)
    expect(world.timesOf(1)).toEqual([first, first + 30_000, first + 90_000])
  })

  test('is not run again while it still is', async () => {
    const world = collectorWorld(target({ id: 1 }))
    await world.begin()
    world.hang()
    await world.pass(95)
    expect(world.hanging).toHaveLength(1)
    await world.hanging[0]?.end()
    expect(world.timesOf(1)).toHaveLength(1)
    await world.pass(30)
    expect(world.hanging).toHaveLength(1)
  })

  test('shows how its last run went', async () => {
    const world = collectorWorld(target({ id: 1 }))
    const health = () => world.collector.healthOf('target', 1)
    await world.begin()
    expect(health()).toMatchObject({ status: 'unknown', lastAtMs: null, samples: 0 })
    await world.pass(30)
    const [lastAtMs = 0] = world.timesOf(1)
    expect(health()).toEqual({
      status: 'up',
      lastAtMs,
      lastDurationMs: 12,
      lastError: null,
      samples: 1,
      recent: [{ atMs: lastAtMs, durationMs: 12, ok: true }],
      findings: null,
      nextAtMs: lastAtMs + 30_000,
    })
    world.refusal = 'too many series'
    await world.pass(30)
    expect(health()).toMatchObject({ status: 'down', lastError: 'too many series' })
    world.hang()
    await world.pass(30)
    await world.hanging[0]?.end({ ok: false, error: 'HTTP 500', durationMs: 3, readings: [] })
    expect(health()).toMatchObject({ status: 'down', lastError: 'HTTP 500', lastDurationMs: 3, samples: 0 })
  })
})

describe('a clock that jumps', () => {
  test.each([
    ['ahead', 5 * hour + 12_345],
    ['back', -5 * hour - 12_345],
  ])('%s neither floods nor stops', async (_, jumpMs) => {
    const world = collectorWorld(...Array.from({ length: 60 }, (_, id) => target({ id })))
    await world.begin()
    await world.pass(60)
    expect(world.written).toHaveLength(120)
    world.written = []
    world.nowMs += jumpMs
    await world.pass(1)
    expect(world.written.length).toBeLessThan(25)
    await world.pass(60)
    expect(world.written.length).toBeGreaterThanOrEqual(120)
    expect(world.written.length).toBeLessThan(145)
    expect(world.written.every(({ timeMs }) => Math.abs(timeMs - world.nowMs) <= 70_000)).toBe(true)
  })
})

describe('a change', () => {
  test.each([
    ['that deletes or deactivates it', []],
    ['of its URL', [target({ id: 1, url: 'http://b.example/metrics' })]],
    ['of its labels', [target({ id: 1, labels: { rack: 'b' } })]],
    ['of its name', [target({ id: 1, name: 'other' })]],
  ])('%s ends the series of an item at once, and gives up its run', async (_, items) => {
    const world = collectorWorld(target({ id: 1 }), target({ id: 2, organizationId: 2 }))
    await world.begin()
    await world.pass(30)
    world.hang()
    await world.pass(30)
    const run = world.hanging.find(({ key }) => key === 'target 1')
    world.items = items
    await world.collector.reload(1)
    expect(world.ended).toEqual([{ key: 'target 1', timeMs: world.nowMs }])
    expect(run?.isAborted()).toBe(true)
    expect(world.collector.healthOf('target', 1).status).toBe('unknown')
    expect(world.collector.healthOf('target', 2).status).toBe('up')
    const before = world.written.length
    await run?.end()
    expect(world.written).toHaveLength(before)
  })

  test('of anything else goes on with them', async () => {
    const world = collectorWorld(target({ id: 1 }))
    await world.begin()
    await world.pass(30)
    world.items = [target({ id: 1, intervalMs: 5000, timeoutMs: 1000, auth: { bearer: { token: 't' } } })]
    await world.collector.reload(1)
    await world.pass(30)
    expect(world.ended).toEqual([])
    expect(world.timesOf(1)).toHaveLength(7)
    expect(world.collector.healthOf('target', 1).status).toBe('up')
  })

  test('that is not committed yet is seen at the next tick', async () => {
    const world = collectorWorld()
    await world.begin()
    world.collector.soon(1)
    world.items = [target({ id: 1, intervalMs: 5000 })]
    await world.pass(7)
    expect(world.timesOf(1).length).toBeGreaterThan(0)
  })

  test('that cannot be read is logged, and read at a later tick', async () => {
    const world = collectorWorld(target({ id: 1, intervalMs: 5000 }))
    const items = world.items
    Object.defineProperty(world, 'items', {
      configurable: true,
      get: () => {
        throw new Error('locked')
      },
    })
    await world.pass(3)
    expect(world.logged.join()).toContain('locked')
    Object.defineProperty(world, 'items', { value: items })
    await world.pass(8)
    expect(world.timesOf(1).length).toBeGreaterThan(0)
  })
})

describe('closing', () => {
  test('gives up what is under way, writes nothing of it, and begins nothing', async () => {
    const world = collectorWorld(...Array.from({ length: 200 }, (_, id) => target({ id })))
    await world.begin()
    world.hang()
    await world.pass(30)
    const { hanging } = world
    expect(hanging).toHaveLength(64)
    world.isClosing = true
    await world.collector.drain()
    expect(hanging.every((run) => run.isAborted())).toBe(true)
    expect(hanging).toHaveLength(64)
    await world.pass(60)
    expect([world.written, world.ended, hanging.length]).toEqual([[], [], 64])
  })

  test('gives up a run that was requested', async () => {
    const world = collectorWorld()
    world.hang()
    const refused = expect(world.collector.runOnce(target({ id: 9, timeoutMs: 60_000 }))).rejects
    expect(world.hanging[0]?.item.what.timeoutMs).toBe(10_000)
    world.isClosing = true
    await world.collector.drain()
    await refused.toMatchObject({ kind: 'unavailable' })
  })
})

test('items that hang hold up those of another organization for no second, and what runs is bounded', async () => {
  const ofOne = Array.from({ length: 300 }, (_, id) => target({ id, organizationId: 1 }))
  const world = collectorWorld(...ofOne, target({ id: 999, organizationId: 2 }))
  await world.begin()
  world.hang()
  await world.pass(30)
  expect(world.hanging).toHaveLength(65)
  const other = world.hanging.find(({ key }) => key === 'target 999')
  await other?.end()
  const [timeMs = 0] = world.timesOf(999)
  expect(timeMs).toBeGreaterThan(startMs)
  for (let run = world.hanging[0]; run && world.written.length < 301; [run] = world.hanging) await run.end()
  expect(new Set(world.written.map(({ key }) => key)).size).toBe(301)
})

test('items that hung before hold up none of their own organization', async () => {
  const timedOut = { ok: false, error: 'timed out', durationMs: 10_000, readings: [] }
  const hanging = Array.from({ length: 300 }, (_, id) => target({ id }))
  const world = collectorWorld(...hanging, target({ id: 999 }))
  await world.begin()
  world.hang()
  await world.pass(30)
  for (let [run] = world.hanging; run; [run] = world.hanging)
    await run.end(run.key === 'target 999' ? undefined : timedOut)
  await world.pass(30)
  expect(world.hanging).toHaveLength(65)
  await world.hanging.find(({ key }) => key === 'target 999')?.end()
  expect(gaps(world.timesOf(999))).toEqual([30_000])
})
