import { describe, expect, test } from 'bun:test'
import { AppError } from '../../../src/errors.ts'
import { collectorWorld, failure, probe, startMs, target } from './collector-world.ts'

const hourMs = 3_600_000
/** Differences between consecutive times. */
const gaps = (times: number[]) => times.slice(1).map((time, at) => time - (times[at] ?? 0))

describe('runs of a target or probe', () => {
  test('samples have the due time, which is the same second of each interval after any start', async () => {
    const world = collectorWorld(target({ id: 1 }), target({ id: 2, intervalMs: 10_000 }))
    await world.load()
    await world.advance(120)
    expect(world.timesOf(1)).toHaveLength(4)
    expect(gaps(world.timesOf(1))).toEqual([30_000, 30_000, 30_000])
    expect(new Set(gaps(world.timesOf(2)))).toEqual(new Set([10_000]))
    const restarted = collectorWorld(target({ id: 1 }))
    restarted.nowMs += 7000
    await restarted.load()
    await restarted.advance(120)
    expect((restarted.timesOf(1)[0] ?? 0) % 30_000).toBe((world.timesOf(1)[0] ?? 1) % 30_000)
  })

  test('targets of the same interval are spread over its seconds', async () => {
    const world = collectorWorld(...Array.from({ length: 300 }, (_, id) => target({ id })))
    await world.load()
    await world.advance(30)
    const perSecond = Map.groupBy(world.written, ({ timeMs }) => timeMs)
    expect(world.written).toHaveLength(300)
    expect(perSecond.size).toBe(30)
    expect(Math.max(...[...perSecond.values()].map((some) => some.length))).toBeLessThan(40)
  })

  test('samples have the due time if the tick is 2 s late, and the run is skipped if it is 6 s late', async () => {
    const world = collectorWorld(target({ id: 1 }))
    await world.load()
    await world.advance(30)
    const [first = 0] = world.timesOf(1)
    world.nowMs = first + 30_000 + 2345
    await world.advance(1)
    expect(world.timesOf(1)).toEqual([first, first + 30_000])
    world.nowMs = first + 60_000 + 6000
    await world.advance(40)
    expect(world.timesOf(1)).toEqual([first, first + 30_000, first + 90_000])
  })

  test('a target is not scraped again while a scrape of it is under way', async () => {
    const world = collectorWorld(target({ id: 1 }))
    await world.load()
    world.hang()
    await world.advance(95)
    expect(world.hanging).toHaveLength(1)
    await world.hanging[0]?.end()
    expect(world.timesOf(1)).toHaveLength(1)
    await world.advance(30)
    expect(world.hanging).toHaveLength(1)
  })

  test('runs for which nines lacks file descriptors measure nothing, and the log does not name each of them', async () => {
    const slow = { timeoutMs: 10_000, intervalMs: 30_000 }
    const world = collectorWorld(target({ id: 1 }), probe({ id: 2, ...slow }))
    await world.load()
    await world.advance(30)
    const [before] = [world.written.splice(0).length, world.logged.splice(0)]
    expect(before).toBe(2)
    world.runError = new AppError('unavailable', 'No file descriptors are left')
    await world.advance(40)
    expect(world.written).toEqual([])
    for (const [kind, id] of [
      ['target', 1],
      ['probe', 2],
    ] as const) {
      const health = world.collector.healthOf(kind, id)
      expect(health).toMatchObject({ status: 'unknown', lastError: world.runError.message, downSinceMs: null })
      expect(health.recent.map(({ ok }) => ok)).toEqual([true])
    }
    const lines = world.logged.map((line) => JSON.parse(line))
    expect(lines.length).toBeGreaterThan(1)
    expect(new Set(lines.map(({ message, target: item, probe: other }) => [message, item, other].join()))).toEqual(
      new Set(['collecting failed,,']),
    )
    world.runError = null
    await world.advance(30)
    expect(world.written).toHaveLength(2)
    expect(world.collector.healthOf('probe', 2).status).toBe('up')
  })

  test('a probe whose samples are refused lists what it measured, and says why it was not stored', async () => {
    const world = collectorWorld(probe({ id: 1, timeoutMs: 10_000, intervalMs: 30_000 }))
    world.writeError = 'too many series'
    await world.load()
    await world.advance(30)
    const health = () => world.collector.healthOf('probe', 1)
    expect(health()).toMatchObject({ status: 'up', lastError: 'too many series', recent: [{ ok: true, error: null }] })
    expect(world.collector.intakeOf(1, 'probe').lastError).toMatchObject({ of: 'p1', text: 'too many series' })
    world.hang()
    await world.advance(30)
    await world.hanging[0]?.end(failure)
    const down = { status: 'down', lastError: failure.error }
    expect(health()).toMatchObject({ ...down, recent: [{ ok: true }, { ok: false, error: failure.error }] })
  })

  test('the health of a target shows the result of its last run and the time of the next', async () => {
    const world = collectorWorld(target({ id: 1 }))
    const health = () => world.collector.healthOf('target', 1)
    await world.load()
    expect(health()).toMatchObject({ status: 'unknown', lastAtMs: null, samples: 0 })
    await world.advance(30)
    const [lastAtMs = 0] = world.timesOf(1)
    expect(health()).toEqual({
      status: 'up',
      lastAtMs,
      lastDurationMs: 12,
      lastError: null,
      samples: 1,
      recent: [{ atMs: lastAtMs, durationMs: 12, ok: true, error: null }],
      findings: null,
      downSinceMs: null,
      nextAtMs: lastAtMs + 30_000,
    })
    world.writeError = 'too many series'
    await world.advance(30)
    expect(health()).toMatchObject({ status: 'down', lastError: 'too many series' })
    world.hang()
    await world.advance(30)
    await world.hanging[0]?.end({ ok: false, error: 'HTTP 500', durationMs: 3, samples: [] })
    expect(health()).toMatchObject({ status: 'down', lastError: 'HTTP 500', lastDurationMs: 3, samples: 0 })
  })
})

describe('clock jumps', () => {
  test.each([
    ['ahead', 5 * hourMs + 12_345],
    ['back', -5 * hourMs - 12_345],
  ])('a clock that jumps %s neither runs everything at once nor stops the runs', async (_, jumpMs) => {
    const world = collectorWorld(...Array.from({ length: 60 }, (_, id) => target({ id })))
    await world.load()
    await world.advance(60)
    expect(world.written).toHaveLength(120)
    world.written = []
    world.nowMs += jumpMs
    await world.advance(1)
    expect(world.written.length).toBeLessThan(25)
    await world.advance(60)
    expect(world.written.length).toBeGreaterThanOrEqual(120)
    expect(world.written.length).toBeLessThan(145)
    expect(world.written.every(({ timeMs }) => Math.abs(timeMs - world.nowMs) <= 70_000)).toBe(true)
  })
})

describe('changes of a target', () => {
  test.each([
    ['deletes or deactivates it', []],
    ['changes its URL', [target({ id: 1, url: 'http://b.example/metrics' })]],
    ['changes its labels', [target({ id: 1, labels: { rack: 'b' } })]],
    ['changes its name', [target({ id: 1, name: 'other' })]],
  ])('an edit of a target that %s ends its series at once and aborts its run', async (_, items) => {
    const world = collectorWorld(target({ id: 1 }), target({ id: 2, organizationId: 2 }))
    await world.load()
    await world.advance(30)
    world.hang()
    await world.advance(30)
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

  test('an edit of a target that changes neither URL, labels nor name continues its series', async () => {
    const world = collectorWorld(target({ id: 1 }))
    await world.load()
    await world.advance(30)
    world.items = [target({ id: 1, intervalMs: 5000, timeoutMs: 1000, auth: { bearer: { token: 't' } } })]
    await world.collector.reload(1)
    await world.advance(30)
    expect(world.ended).toEqual([])
    expect(world.timesOf(1)).toHaveLength(7)
    expect(world.collector.healthOf('target', 1).status).toBe('up')
  })

  test('a change that is not committed yet is read at the next tick', async () => {
    const world = collectorWorld()
    await world.load()
    world.collector.reloadAtNextTick(1)
    world.items = [target({ id: 1, intervalMs: 5000 })]
    await world.advance(7)
    expect(world.timesOf(1).length).toBeGreaterThan(0)
  })

  test('targets that cannot be read are an error in the log, and are read at a later tick', async () => {
    const world = collectorWorld(target({ id: 1, intervalMs: 5000 }))
    const items = world.items
    Object.defineProperty(world, 'items', {
      configurable: true,
      get: () => {
        throw new Error('locked')
      },
    })
    await world.advance(3)
    expect(world.logged.join()).toContain('locked')
    Object.defineProperty(world, 'items', { value: items })
    await world.advance(8)
    expect(world.timesOf(1).length).toBeGreaterThan(0)
  })
})

describe('a probe whose run has failed', () => {
  /** Seconds after the first failed run at which the later ones begin, until the target is down; each ends `answerSeconds` later. */
  async function triedAfter({ intervalMs, answerSeconds }: { intervalMs: number; answerSeconds: number }) {
    const world = collectorWorld(probe({ id: 1, intervalMs, timeoutMs: 8000 }))
    await world.load()
    world.hang()
    const begins: number[] = []
    let seen: unknown
    for (let second = 0; second < 90 && !world.collector.probesOf(1)?.[0]?.isDown; second += 1) {
      const run = world.hanging.find((one) => !one.isAborted())
      if (run && run !== seen) begins.push(world.nowMs)
      seen = run
      if (run && world.nowMs >= (begins.at(-1) ?? 0) + answerSeconds * 1000) await run.end(failure)
      await world.advance(1)
    }
    return begins.map((ms) => (ms - (begins[0] ?? 0)) / 1000)
  }

  test('is tried again 5 s and 10 s later', async () => {
    expect(await triedAfter({ intervalMs: 60_000, answerSeconds: 0 })).toEqual([0, 5, 10])
  })

  test('is tried again before its next run if that is soon, which confirms as well', async () => {
    expect(await triedAfter({ intervalMs: 10_000, answerSeconds: 0 })).toEqual([0, 5, 10])
  })

  test('never skips the next run: one that only confirms is ended for it', async () => {
    expect(await triedAfter({ intervalMs: 10_000, answerSeconds: 3 })).toEqual([0, 8, 10, 18, 20])
  })
})

describe('closing', () => {
  test('closing aborts the runs under way, writes nothing of them, and starts none', async () => {
    const world = collectorWorld(...Array.from({ length: 200 }, (_, id) => target({ id })))
    await world.load()
    world.hang()
    await world.advance(30)
    const { hanging } = world
    expect(hanging).toHaveLength(64)
    world.isClosing = true
    await world.collector.drain()
    expect(hanging.every((run) => run.isAborted())).toBe(true)
    expect(hanging).toHaveLength(64)
    await world.advance(60)
    expect([world.written, world.ended, hanging.length]).toEqual([[], [], 64])
  })

  test('closing aborts a run that a request waits for', async () => {
    const world = collectorWorld()
    world.hang()
    const rejection = expect(world.collector.runOnce(target({ id: 9, timeoutMs: 60_000 }))).rejects
    expect(world.hanging[0]?.item.definition.timeoutMs).toBe(10_000)
    world.isClosing = true
    await world.collector.drain()
    await rejection.toMatchObject({ kind: 'unavailable' })
  })
})

test('targets that hang delay none of another organization, and at most 64 runs of an organization are under way', async () => {
  const ofOneOrganization = Array.from({ length: 300 }, (_, id) => target({ id, organizationId: 1 }))
  const world = collectorWorld(...ofOneOrganization, target({ id: 999, organizationId: 2 }))
  await world.load()
  world.hang()
  await world.advance(30)
  expect(world.hanging).toHaveLength(65)
  const other = world.hanging.find(({ key }) => key === 'target 999')
  await other?.end()
  const [timeMs = 0] = world.timesOf(999)
  expect(timeMs).toBeGreaterThan(startMs)
  for (let run = world.hanging[0]; run && world.written.length < 301; [run] = world.hanging) await run.end()
  expect(new Set(world.written.map(({ key }) => key)).size).toBe(301)
})

test('targets that timed out in their last run do not delay the others of their organization', async () => {
  const timedOut = { ok: false, error: 'timed out', durationMs: 10_000, samples: [] }
  const hanging = Array.from({ length: 300 }, (_, id) => target({ id }))
  const world = collectorWorld(...hanging, target({ id: 999 }))
  await world.load()
  world.hang()
  await world.advance(30)
  for (let [run] = world.hanging; run; [run] = world.hanging)
    await run.end(run.key === 'target 999' ? undefined : timedOut)
  await world.advance(30)
  expect(world.hanging).toHaveLength(65)
  await world.hanging.find(({ key }) => key === 'target 999')?.end()
  expect(gaps(world.timesOf(999))).toEqual([30_000])
})
