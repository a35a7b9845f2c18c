import { describe, expect, test } from 'bun:test'
import { watchBackups, watchClock, watchDisk, watchScrapes } from '../../../src/status/watch/health-checks.ts'
import { watchSources } from '../../../src/status/watch/sources.ts'

const minuteMs = 60_000
const hourMs = 3_600_000

describe('sources', () => {
  function watching(intervalMs = minuteMs, whose: 'all' | number[] = 'all') {
    const clock = { ms: 0, now: () => clock.ms }
    return { clock, watch: watchSources({ clock, intervalMs, watched: async () => whose }) }
  }

  test('are silent after five minutes without an answer, until one answers', async () => {
    const { clock, watch } = watching()
    for (; clock.ms < 5 * minuteMs; clock.ms += minuteMs) {
      watch.noteAnswer(1, true)
      watch.noteAnswer(2, false)
      expect(await watch.check()).toBeUndefined()
    }
    watch.noteAnswer(1, true)
    watch.noteAnswer(2, false)
    expect(await watch.check()).toBe('1 of 2 metrics sources that SLOs use gave no answer for 5 minutes or longer')
    watch.noteAnswer(2, true)
    expect(await watch.check()).toBeNull()
  })

  test('of a long interval are silent after three of them', async () => {
    const { clock, watch } = watching(hourMs)
    watch.noteAnswer(1, true)
    clock.ms = 3 * hourMs - 1
    watch.noteAnswer(1, false)
    expect(await watch.check()).toBeUndefined()
    clock.ms += 1
    expect(await watch.check()).toContain('3 hours')
  })

  test('that no SLO uses any more are forgotten', async () => {
    const { clock, watch } = watching()
    watch.noteAnswer(1, false)
    clock.ms = 5 * minuteMs
    expect(await watch.check()).toContain('1 of 1')
    clock.ms = 10 * minuteMs + 1
    expect(await watch.check()).toBeNull()
  })

  test('that are not watched do not count', async () => {
    const { clock, watch } = watching(minuteMs, [2])
    watch.noteAnswer(1, false)
    watch.noteAnswer(2, true)
    clock.ms = 5 * minuteMs
    expect(await watch.check()).toBeNull()
  })
})

describe('the disk', () => {
  const disk = { bsize: 1, blocks: 0, bavail: 0 }
  const look = (blocks: number, bavail: number) => watchDisk('/data', async () => ({ ...disk, blocks, bavail }))()

  test.each([
    [10e9, 500e6, false],
    [10e9, 499e6, true],
    [10e12, 5e9, false],
    [10e12, 4.9e9, true],
    [1e9, 256e6, false],
    [1e9, 255e6, true],
  ])('of %p bytes with %p free: nearly full is %p', async (blocks, free, isLow) => {
    expect((await look(blocks, free)) !== null).toBe(isLow)
  })

  test('has room again with a tenth more than it lacked', async () => {
    let bavail = 400e6
    const watch = watchDisk('/data', async () => ({ ...disk, blocks: 10e9, bavail }))
    expect(await watch()).toBe("400 MB of the 10 GB of the data folder's file system are free")
    bavail = 549e6
    expect(await watch()).not.toBeNull()
    bavail = 550e6
    expect(await watch()).toBeNull()
    bavail = 500e6
    expect(await watch()).toBeNull()
  })

  test('of which the free space cannot be read is reported', async () => {
    const failing = watchDisk('/data', () => Promise.reject(Object.assign(new Error('x'), { code: 'EIO' })))
    expect(await failing()).toBe("the free space of the data folder's file system cannot be read (EIO)")
    // another condition reports that
    expect(await watchDisk('/nowhere/at/all')()).toBeNull()
    expect((await watchDisk('/')()) ?? 'x are free').toContain('are free')
  })
})

describe('backups', () => {
  const nowMs = 1e12
  const look = (lastMs: number | null, { maxAgeHours = 24, isUsed = true } = {}) =>
    watchBackups({
      clock: { now: () => nowMs },
      maxAgeHours,
      lastBackup: () => lastMs,
      hasOrganizations: async () => isUsed,
    })()

  test.each([
    ['recent', nowMs - 24 * hourMs, {}, null],
    ['old', nowMs - 25 * hourMs, {}, 'the last backup is 25 hours old'],
    ['never made', null, {}, 'there is no record of a backup of this data folder'],
    ['never made, and nothing to lose', null, { isUsed: false }, null],
    ['dated ahead of now', nowMs + 25 * hourMs, {}, 'the last backup is dated 25 hours ahead of now'],
    ['never made, and nobody minds', null, { maxAgeHours: 0 }, null],
  ] as const)('%s', async (_, lastMs, change, finding) => {
    expect(await look(lastMs, change)).toBe(finding)
  })
})

test.each([
  [0, null],
  [3600, 'the clock of this machine was set 60 minutes ahead'],
  [-86_400, 'the clock of this machine was set 24 hours back'],
])('a clock that was set by %p s: %p', (seconds, finding) => {
  expect(watchClock({ jumpedSeconds: () => seconds })()).toBe(finding)
})

test.each([
  [{ failing: 0, all: 4, isSure: true }, null],
  [{ failing: 0, all: 4, isSure: false }, undefined],
  [
    { failing: 1, all: 4, isSure: false },
    '1 of 4 scrape targets and probes have failed again and again for five minutes',
  ],
])('of what is collected %j is %p', async (failing, finding) => {
  expect(await watchScrapes({ failing: () => failing }, async () => 'all')()).toBe(finding)
})
