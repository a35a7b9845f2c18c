import { afterEach, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { HostileFormat } from '../../scripts/bench/attacks/hostile-sender.ts'
import { register, startWatched } from '../../scripts/bench/attacks/watched-nines.ts'
import { start } from '../../scripts/bench/support/child.ts'
import { memoryOf } from '../../scripts/bench/support/load.ts'
import { closeAll, closeLater } from '../support/closing.ts'
import { newFolder } from '../support/process.ts'

/** Growth for each body that is taken for a leak. */
const maxGrowthBytes = 4096
const bodies = 10_000

afterEach(closeAll)

test.each<[HostileFormat, number, number]>([
  ['remote write 1.0', 311, 204],
  ['remote write 2.0', 312, 204],
  ['OTLP in JSON', 313, 200],
  ['OTLP in protobuf', 314, 200],
])(
  'ten thousand hostile bodies of %s cause no error and no growth',
  async (format, seed, success) => {
    const nines = await startWatched(join(newFolder(), 'data'), { SOURCE_URL: 'embedded', QUOTA_SERIES: '1000' })
    closeLater(nines.end)
    const token = await register(nines.url, 'sender')
    const sender = start('attacks/hostile-sender.ts', nines.url, token, format, String(seed))
    closeLater(sender.stop)
    const statuses = new Set<number>()
    const sendSome = async (count: number) => {
      sender.send(count)
      for (const status of await sender.next<number[]>()) statuses.add(status)
    }
    /** Least memory seen while so many are sent: between two collections of garbage it rises by some 30 MB, and falls again. */
    const leastBytes = async (count: number) => {
      let least = Infinity
      for (let sent = 0; sent < count; sent += 500) {
        await sendSome(500)
        least = Math.min(least, memoryOf(nines.pid).rss)
      }
      return least
    }
    await sendSome(3 * bodies) // the heap gets its size: some 50 MB, and no more in 70,000 bodies
    const usedBytes = await leastBytes(bodies / 2)
    await sendSome(bodies / 2)
    const usedAfterBytes = await leastBytes(bodies / 2)
    expect([...statuses].toSorted()).toEqual([success, 400])
    expect(usedAfterBytes - usedBytes).toBeLessThan(bodies * maxGrowthBytes) // from one reading to the other
  },
  300_000,
)
