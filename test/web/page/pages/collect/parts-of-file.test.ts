import { expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { type FilePart, partsOfFile } from '../../../../../src/web/page/pages/collect/storage/parts-of-file.ts'

const limit = 2000
const lines = Array.from({ length: 500 }, (_, at) => `jobs{queue="${'ä'.repeat(at % 7)}"} ${at} ${at}\n`)
const text = [...lines, '# EOF\n'].join('')

async function parts(name: string, bytes: Uint8Array<ArrayBuffer>, max = limit): Promise<FilePart[]> {
  return Array.fromAsync(partsOfFile(new File([bytes], name), max))
}
const bytesOf = (content: string) => new TextEncoder().encode(content)
const packed = (content: string) => new Uint8Array(gzipSync(content))

test.each([
  ['past.om', bytesOf(text)],
  ['past.om.gz', packed(text)],
])(
  '%s comes in parts of whole lines that fit, with their numbers, and its end alone is the last',
  async (name, bytes) => {
    const all = await parts(name, bytes)
    expect(all.map((part) => part.text).join('')).toBe(text)
    expect(all.length).toBeGreaterThan(5)
    let line = 1
    for (const [at, { text: own, firstLine, isLast, readBytes }] of all.entries()) {
      expect([firstLine, isLast]).toEqual([line, at === all.length - 1])
      expect(own.endsWith('\n')).toBe(true)
      const request = JSON.stringify({ text: own, first_line: firstLine, is_last: isLast })
      expect(bytesOf(request).length).toBeLessThanOrEqual(limit)
      expect(readBytes).toBeLessThanOrEqual(bytes.length)
      line += own.split('\n').length - 1
    }
    expect(all.at(-1)?.readBytes).toBe(bytes.length)
  },
)

test('a file that does not end its last line is sent as it is, and an empty one as nothing', async () => {
  expect((await parts('a', bytesOf('jobs 1 2'))).map(({ text: own, isLast }) => [own, isLast])).toEqual([
    ['jobs 1 2', true],
  ])
  expect(await parts('a', bytesOf(''))).toMatchObject([{ text: '\n', isLast: true }])
})

test.each([
  ['a line that fits in no part', 'a.om', bytesOf(`jobs 1 1\n${'x'.repeat(5000)}\n`), 'Line 2 is too long to be sent.'],
  ['no UTF-8', 'a.om', new Uint8Array([106, 255, 10]), 'The file is no UTF-8 text.'],
  ['no gzip', 'a.gz', bytesOf('jobs 1 1\n'), 'The file is no gzip of UTF-8 text, or is cut.'],
  ['a gzip that is cut', 'a.gz', packed(text).slice(0, 200), 'The file is no gzip of UTF-8 text, or is cut.'],
])('%s is refused with a sentence', async (_, name, bytes, sentence) => {
  const failed = await parts(name, bytes).then(
    () => null,
    (error: Error) => error.message,
  )
  expect(failed).toBe(sentence)
})
