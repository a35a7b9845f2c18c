import { afterEach, describe, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { closeAll, closeLater } from '../../support/closing.ts'
import { rawHttp, type Wire } from '../../support/raw-http.ts'
import { scraping } from './scrape-world.ts'

afterEach(closeAll)

const m = 'm{instance="i",job="shop"}'
const up = 'up{instance="i",job="shop"}'
const megabyte = 1024 * 1024

/** A target that answers byte by byte. */
function raw(answer: (wire: Wire) => void) {
  const server = rawHttp((_, wire) => answer(wire))
  closeLater(server.close)
  return { url: `http://127.0.0.1:${server.port}/metrics?token=secret`, sentBytes: server.sentBytes }
}

const head = (length: number, more = '') => `HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n${more}\r\n`

test.each<[string, (wire: Wire) => void, string]>([
  ['hangs', () => {}, 'No complete answer within 0.15 s'],
  ['stops after its head', (wire) => wire.write(head(4)), 'No complete answer within 0.15 s'],
  ['stops in its body', (wire) => wire.write(`${head(1000)}m 1\n`), 'No complete answer within 0.15 s'],
  [
    'breaks off',
    (wire) => {
      wire.write(`${head(1000)}m 1\n`)
      wire.end()
    },
    'connection lost before the answer was complete',
  ],
  ['closes at once', (wire) => wire.reset(), 'connection lost before the answer was complete'],
  ['speaks no HTTP', (wire) => wire.write('SSH-2.0-OpenSSH\r\n'), 'the answer is not HTTP'],
  [
    'is not compressed as it says',
    (wire) => wire.write(`${head(4, 'Content-Encoding: gzip\r\n')}m 1\n`),
    'the body is not compressed as it claims',
  ],
  [
    'breaks off while compressed',
    (wire) => {
      const bytes = gzipSync('m 1\n').subarray(0, 15)
      wire.write(head(bytes.length, 'Content-Encoding: gzip\r\n'))
      wire.write(bytes)
    },
    'the body ends before it is complete',
  ],
])('a target that %s is down, and its next scrape is as good as ever', async (_, answer, error) => {
  let isWell = false
  const { url } = raw((wire) => (isWell ? wire.write(`${head(4)}m 1\n`) : answer(wire)))
  const { scrape, values, target } = scraping({ target: { url, timeoutMs: error.startsWith('No') ? 150 : 5000 } })
  expect(await scrape(0)).toBe(error)
  isWell = true
  target.timeoutMs = 5000
  expect(await scrape(1)).toBeNull()
  expect(values('m|up')).toEqual({
    [m]: [[1, 1]],
    [up]: [
      [0, 0],
      [1, 1],
    ],
  })
})

test('nobody listens, or the address holds credentials: no secret is in what is said', async () => {
  const refused = scraping({ target: { url: 'http://127.0.0.1:1/?token=secret' } })
  expect(await refused.scrape(0)).toBe('connection refused')
  const named = scraping({ target: { url: 'http://user:secret@127.0.0.1:1/' } })
  expect(await named.scrape(0)).toBe('the URL contains a user name or password')
})

describe('a body that is too large', () => {
  const line = Buffer.from(`m{a="${'x'.repeat(1000)}"} 1\n`)
  const error = 'Exposition too large: must be a body of at most 10485760 bytes'

  test('is not read to its end', async () => {
    const part = Buffer.alloc(megabyte, line)
    const { url, sentBytes } = raw((wire) => {
      wire.write(head(100 * megabyte))
      for (let sent = 0; sent < 100; sent += 1) wire.write(part)
    })
    const { scrape, values } = scraping({ target: { url } })
    expect(await scrape(0)).toBe(error)
    expect(sentBytes()).toBeLessThan(60 * megabyte)
    expect(values('m|up')).toEqual({ [up]: [[0, 0]] })
  })

  test('is noticed while it is decompressed', async () => {
    const bomb = gzipSync(Buffer.alloc(200 * megabyte, 'x'))
    const { url } = raw((wire) => {
      wire.write(head(bomb.length, 'Content-Encoding: gzip\r\n'))
      wire.write(bomb)
    })
    const { scrape } = scraping({ target: { url } })
    const before = process.memoryUsage.rss()
    expect(await scrape(0)).toBe(error)
    expect(process.memoryUsage.rss() - before).toBeLessThan(100 * megabyte)
  })

  test('or has too many samples', async () => {
    const many = Buffer.from('m 1\n'.repeat(100_001))
    const { url } = raw((wire) => {
      wire.write(head(many.length))
      wire.write(many)
    })
    expect(await scraping({ target: { url } }).scrape(0)).toBe('Exposition too large: must be at most 100000 samples')
  })
})

describe('what is strange and yet allowed', () => {
  const served = (text: string) => raw((wire) => wire.write(`${head(Buffer.byteLength(text))}${text}`)).url

  test('NaN, infinities, counters that go back and what comes twice', async () => {
    const bodies = ['m 5\nm_a NaN\nm_b +Inf\nm 6\n', 'm 1\nm_a NaN\nm_b -Inf\n']
    const { url } = raw((wire) => {
      const text = bodies.shift() ?? ''
      wire.write(`${head(text.length)}${text}`)
    })
    const { scrape, values } = scraping({ target: { url } })
    expect([await scrape(0), await scrape(1)]).toEqual([null, null])
    const two = (first: number, second: number) => [
      [0, first],
      [1, second],
    ]
    expect(values()).toEqual({
      [m]: two(5, 1),
      'm_a{instance="i",job="shop"}': two(NaN, NaN),
      'm_b{instance="i",job="shop"}': two(Infinity, -Infinity),
    })
  })

  test('times that are none are left out', async () => {
    const url = served('m 1 9223372036854775807\nm_a 1 0\nm_b 1\n')
    const { scrape, values } = scraping({ target: { url } })
    expect(await scrape(0)).toBeNull()
    expect(Object.keys(values())).toEqual(['m_a{instance="i",job="shop"}', 'm_b{instance="i",job="shop"}'])
  })

  test.each([
    ['a name that is too long', `m{${'a'.repeat(300)}="1"} 1\n`, 'labels: must be names of at most 256 characters'],
    ['a value that is too long', `m{a="${'1'.repeat(3000)}"} 1\n`, 'labels: must be at most 2048 characters in a'],
    [
      'too many labels',
      `m{${Array.from({ length: 63 }, (_, index) => `a${index}="1"`).join(',')}} 1\n`,
      'labels: must have at most 64 entries, not 66',
    ],
  ])('%s is refused, and all that came with it', async (_, text, error) => {
    const { scrape, values } = scraping({ target: { url: served(`m_good 1\n${text}`) } })
    expect(await scrape(0)).toStartWith(error)
    expect(values('m.*|up')).toEqual({ [up]: [[0, 0]] })
  })
})
