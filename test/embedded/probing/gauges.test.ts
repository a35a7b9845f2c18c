import { expect, test } from 'bun:test'
import { createGauges, setLookup } from '../../../src/embedded/probing/gauges.ts'

// Expected values: Go's hash/fnv of the 4 or 16 bytes of the address.
test.each([
  [null, 0, 0],
  ['127.0.0.1', 4, 3668918509],
  ['::1', 6, 1751717746],
  ['2001:db8::ff00:42:8329', 6, 1432727906],
  ['fe80::1%eth0', 6, 3766760168],
])('%p is of kind %p, and has the hash that the blackbox exporter gives it', (address, kind, hash) => {
  const gauges = createGauges()
  setLookup(gauges, 0.5, address)
  expect(gauges.samples().map(({ value }) => value)).toEqual([0.5, kind, hash])
})
