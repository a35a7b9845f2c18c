import { expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { AppError } from '../../../src/errors.ts'
import { type BackfillSample, readBackfill } from '../../../src/embedded/exposition/backfill.ts'

const now = 1_700_000_000
const body = `# HELP a g\u00fcnther 😀\n# TYPE a gauge\na{l="ä\\n😀"} 1 ${now}.123\na 2 ${now}\na NaN -1.5\n# EOF\n`
const values = [
  [1, now * 1000 + 123],
  [2, now * 1000],
  [NaN, -1500],
]

/** The file in pieces that end at these offsets. */
async function* pieces(bytes: Buffer, places: number[]): AsyncGenerator<Uint8Array> {
  let from = 0
  for (const to of [...places.toSorted((a, b) => a - b), bytes.length]) {
    yield bytes.subarray(from, to)
    from = to
  }
}

async function read(text: string | Buffer, places: number[] = []) {
  const samples: BackfillSample[] = []
  for await (const some of readBackfill(pieces(Buffer.from(text), places))) samples.push(...some)
  return samples
}

async function complaint(reading: Promise<unknown>): Promise<string> {
  const error = await reading.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (error instanceof AppError) return `${error.kind}, ${error.details}`
  throw error ?? new Error('nothing was refused')
}

test('a file gives the same samples in whatever pieces it comes', async () => {
  const bytes = Buffer.byteLength(body)
  const places = fc.array(fc.nat({ max: bytes }), { maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(places, async (some) => {
      const samples = await read(body, some)
      expect(samples.map(({ value, timestampMs }) => [value, timestampMs])).toEqual(values)
      expect(samples[0]?.labels[1]).toEqual(['l', 'ä\n😀'])
    }),
    { numRuns: 100 },
  )
})

test('the type of a family counts in the chunks after it', async () => {
  const text = `# TYPE h histogram\nh_bucket{le="1"} 1 ${now}\nh_bucket{le="1"} 2 ${now + 1}\n# EOF\n`
  for (let place = 0; place <= text.length; place += 1) {
    const samples = await read(text, [place])
    expect(samples.map(({ labels }) => labels[1])).toEqual([
      ['le', '1.0'],
      ['le', '1.0'],
    ])
  }
})

test('a time is rounded to milliseconds', async () => {
  const seconds = ['2.001', '4.35', '1700000000.001', '-2.001', '0.0004', '0.0006']
  const samples = await read(`${seconds.map((time) => `a 1 ${time}\n`).join('')}# EOF\n`)
  expect(samples.map(({ timestampMs }) => timestampMs)).toEqual([2001, 4350, 1_700_000_000_001, -2001, 0, 1])
})

test.each([
  ['a 1 1\na 1\n# EOF\n', 'line 2: expected a sample with a timestamp, found "a 1"'],
  ['a 1 1\na 2 2\n', 'line 3: expected "# EOF", found its end'],
  ['a 1 1\na 2', 'line 2: expected the end of the line, found its end'],
  ['', 'line 1: expected "# EOF", found its end'],
  ['a 1 1\n# EOF\nb 1 1\n', 'line 3: expected nothing after "# EOF", found "b 1 1"'],
  ['a 1 1\nb{l="x} 1 1\n# EOF\n', 'line 2: expected a label value that ends, found "\\"x} 1 1"'],
])('%j is refused, in whatever pieces: %s', async (text, details) => {
  for (let place = 0; place <= text.length; place += 1) {
    expect(await complaint(read(text, [place]))).toBe(`invalid, ${details}`)
  }
})

test('bytes that are not UTF-8 are refused with their line', async () => {
  const bytes = Buffer.from('a 1 1\nb{l="\xff"} 1 1\n# EOF\n', 'latin1')
  expect(await complaint(read(bytes))).toBe('invalid, line 2: expected valid UTF-8, found other bytes')
})

/** Ten pieces of a megabyte without a line break; counts the pieces read. */
function endless() {
  const count = { asked: 0 }
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (; count.asked < 10; count.asked += 1) yield Buffer.alloc(1_000_000, 'x')
  }
  return { count, chunks: chunks() }
}

test('a line without an end is refused while it is read', async () => {
  const { count, chunks } = endless()
  expect(await complaint(Array.fromAsync(readBackfill(chunks)))).toBe(
    'too_large, must be at most 1048576 bytes in line 1',
  )
  expect(count.asked).toBe(1)
})

test('the lines before a bad one are handed on', async () => {
  const samples: BackfillSample[] = []
  const reading = async () => {
    for await (const some of readBackfill(pieces(Buffer.from('a 1 1\na 2 2\na x 3\na 4 4\n# EOF\n'), [])))
      samples.push(...some)
  }
  expect(await complaint(reading())).toContain('line 3')
  expect(samples.map(({ value }) => value)).toEqual([1, 2])
})
