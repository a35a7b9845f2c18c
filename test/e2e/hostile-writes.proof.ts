import { afterEach, expect, test } from 'bun:test'
import { join } from 'node:path'
import { register, startWatched } from '../../scripts/bench/attacks/watched-nines.ts'
import { memoryOf } from '../../scripts/bench/support/load.ts'
import { closeAll, closeLater } from '../support/closing.ts'
import { newFolder } from '../support/process.ts'
import { encodeVersion1, encodeVersion2, snappyLiteral, writeBody, writeHeaders } from '../support/remote-write.ts'
import { seeded } from '../support/seeded.ts'

const bodies = 10_000

afterEach(closeAll)

/** A hostile body: random, cut, or with bytes replaced, before or after the compression. */
function hostileBody(version: 1 | 2, random: () => number): Uint8Array {
  const below = (max: number) => Math.floor(random() * max)
  const series = Array.from({ length: 1 + below(4) }, (_, index) => ({
    labels: { __name__: `m${below(3)}`, job: 'x'.repeat(below(5)), index: String(index) },
    samples: [[Date.now() - below(100_000), random()] as [number, number]],
    histograms: below(8) === 0 ? 1 : 0,
  }))
  const spoil = (bytes: Uint8Array) => {
    const spoilt = Uint8Array.from(bytes)
    for (let times = below(4); times > 0; times -= 1) spoilt[below(spoilt.length)] = below(256)
    return below(3) === 0 ? spoilt.subarray(0, below(spoilt.length)) : spoilt
  }
  const encode = version === 1 ? encodeVersion1 : encodeVersion2
  switch (below(5)) {
    case 0:
      return Uint8Array.from({ length: below(200) }, () => below(256))
    case 1:
      return spoil(writeBody(version, series))
    case 2:
      return Uint8Array.from([0xff, 0xff, 0xff, below(16), ...writeBody(version, series)]) // says to be megabytes
    case 3: // few bytes that say to be many fields
      return snappyLiteral(
        Buffer.alloc(2 + 2 * below(20_000), Buffer.from([[10, 34, 42, 26][below(4)] ?? 0, below(3)])),
      )
    default:
      return snappyLiteral(Buffer.from(spoil(encode(series))))
  }
}

test.each([1, 2] as const)(
  'ten thousand hostile bodies of remote write %p.0 cause no error and no growth',
  async (version) => {
    const nines = await startWatched(join(newFolder(), 'data'), { SOURCE_URL: 'embedded', QUOTA_SERIES: '1000' })
    closeLater(nines.end)
    const headers = { ...writeHeaders[version], authorization: `Bearer ${await register(nines.url, 'sender')}` }
    const random = seeded(310 + version)
    const statuses = new Set<number>()
    const send = async () => {
      const body = hostileBody(version, random)
      const { status } = await fetch(`${nines.url}/api/v1/write`, { method: 'POST', headers, body })
      statuses.add(status)
    }
    const sendSome = async (count: number) => {
      for (let sent = 0; sent < count; sent += 10) await Promise.all(Array.from({ length: 10 }, send))
    }
    await sendSome(2000)
    const usedBytes = memoryOf(nines.pid).rss
    await sendSome(bodies - 2000)
    expect([...statuses].toSorted()).toEqual([204, 400])
    expect(memoryOf(nines.pid).rss - usedBytes).toBeLessThan(32 * 1024 * 1024)
  },
  300_000,
)
