import { describe, expect, test } from 'bun:test'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readBackfill } from '../../src/embedded/exposition/backfill.ts'
import type { Label } from '../../src/embedded/exposition/sample.ts'
import { parseExposition } from '../embedded/exposition/parse-exposition.ts'
import { AppError } from '../../src/errors.ts'
import { cleanUpAtTheEnd } from '../support/kit.ts'
import { describeOnNewer } from '../support/newer-components.ts'
import { contentTypes, scrapeAll, type Scraped, type Served, seriesKey } from '../embedded/exposition/scraped.ts'

const lines = [
  '{"a"} 1',
  '{"a.b"} 2',
  '{"a.b",c="d"} 3',
  '{"a.b","c d"="e f",g="h"} 4',
  '{c="d","a.b"} 5',
  '{"größe"} 6',
  'a{"l.m"="x"} 7',
  'a{"l"="x",m="y"} 8',
  '{"a\\"b\\\\c\\nd"} 9',
  '{"a","l\\"m"="x"} 10',
  '{"a","l"=""} 11',
  '{"a b"} 12 NOW',
  '{"a",} 13',
  '{ "a" , "b c" = "d" } 14',
  '{"a" "b"="c"} 15',
  '{"a","b"="c""d"="e"} 16',
  'a{"b"} 17',
  '{"a","b"} 18',
  '{} 19',
  '{""} 20',
  '{b="c"} 21',
  '{"b"="c"} 22',
  '{__name__="a"} 23',
  '{"a"',
  '{"a"}',
  '{"a} 1',
  '{"a","b"=c} 1',
  '{"a",b} 1',
  '{"a";b="c"} 1',
  '"a" 1',
  ' {"a"} 1',
  '{"a"}{b="c"} 1',
  '{"a_total"} 25 NOW # {"trace id"="x"} 1',
  '{"a_total"} 25 NOW # {"trace id"} 1',
  '# HELP "a.b" words\n{"a.b"} 26',
  '# TYPE "a.b" counter\n{"a.b_total"} 27',
  '# TYPE "a.b" nonsense\n{"a.b"} 28',
  '# TYPE "a.b counter\n{"a.b"} 29',
]
const now = Math.floor(Date.now() / 1000)
const served = lines.flatMap((line): Served[] => [
  { format: 'text', body: Buffer.from(`${line.replace('NOW', `${now}000`)}\n`) },
  { format: 'openmetrics', body: Buffer.from(`${line.replace('NOW', String(now))}\n# EOF\n`) },
])

function read({ format, body }: Served): string[] | { error: string } {
  try {
    const { samples } = parseExposition(body, { contentType: contentTypes[format] })
    return samples.map(({ labels, value }) => `${seriesKey(labels)} ${value}`)
  } catch (error) {
    if (error instanceof AppError) return { error: error.details ?? error.message }
    throw error
  }
}

const flat = (scraped: Scraped) =>
  'error' in scraped
    ? scraped
    : [...scraped.series].flatMap(([key, values]) => [...new Set(values.values())].map((value) => `${key} ${value}`))

describeOnNewer('names in quotes', () => {
  test('are read as by a real Prometheus', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'nines-quoted-'))
    const cleanUp = cleanUpAtTheEnd(dir)
    const theirs = await scrapeAll(join(dir, 'prometheus'), served)
    await cleanUp()
    const differences = served.flatMap((one, at) => {
      const [own, other] = [read(one), flat(theirs[at] ?? { error: 'not scraped' })]
      const isSame = 'error' in own ? 'error' in other : Bun.deepEquals(own, other)
      return isSame ? [] : [`${one.format} ${one.body}: ${JSON.stringify(own)}, theirs ${JSON.stringify(other)}`]
    })
    expect(differences).toEqual([])
  }, 60_000)
})

describe('a name in quotes may have any characters', () => {
  const text = (line: string) => read({ format: 'text', body: Buffer.from(`${line}\n`) })

  test.each([
    ['{"a.b","c d"="e"} 1', { __name__: 'a.b', 'c d': 'e' }],
    ['{c="d","größe"} 1', { __name__: 'größe', c: 'd' }],
    ['up{"k8s.cluster"="x"} 1', { __name__: 'up', 'k8s.cluster': 'x' }],
    ['{"a\\"b\\nc"} 1', { __name__: 'a"b\nc' }],
  ])('%s', (line, labels) => expect(text(line)).toEqual([`${seriesKey(Object.entries(labels))} 1`]))

  test.each([
    ['a{"b"} 1', 'each label once'],
    ['{b="c"} 1', 'a metric name'],
    ['{""} 1', 'a metric name'],
    ['{"a"', '"="'],
  ])('%s is refused', (line, wanted) => {
    expect(text(line)).toEqual({ error: expect.stringContaining(`expected ${wanted}, found`) })
  })

  test('in a file to import, too', async () => {
    const chunks = (async function* () {
      yield Buffer.from('# TYPE "a.b" counter\n{"a.b_total","c d"="e"} 1 5\n# EOF\n')
    })()
    const samples = (await Array.fromAsync(readBackfill(chunks))).flat()
    const labels: Label[] = [
      ['__name__', 'a.b_total'],
      ['c d', 'e'],
    ]
    expect(samples).toMatchObject([{ value: 1, timestampMs: 5000 }])
    expect(samples[0]?.labels).toEqual(labels)
  })
})
