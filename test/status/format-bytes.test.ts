import { expect, test } from 'bun:test'
import { formatBytes } from '../../src/status/format-bytes.ts'

test.each([
  [0, '0 bytes'],
  [940, '940 bytes'],
  [999.6, '1 kB'],
  [1000, '1 kB'],
  [16_384, '16.4 kB'],
  [392_710, '393 kB'],
  [999_499, '999 kB'],
  [999_500, '1 MB'],
  [99_940_000, '99.9 MB'],
  [99_960_000, '100 MB'],
  [4_294_967_296, '4.3 GB'],
  [2.5e15, '2500 TB'],
])('%p bytes are shown as %p', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text)
})
