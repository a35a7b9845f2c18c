import { expect, test } from 'bun:test'
import { ProtobufReader } from '../../../src/embedded/ingest/protobuf.ts'

/** Varint of a signed integer of 64 bits, as protobuf writes it. */
function encodeInt64(value: bigint): number[] {
  const bytes: number[] = []
  for (let rest = BigInt.asUintN(64, value); bytes.length === 0 || rest > 0n; rest >>= 7n) {
    bytes.push(Number(rest & 127n) | (rest > 127n ? 128 : 0))
  }
  return bytes
}

const max = 2n ** 63n - 1n

test.each([0n, 1n, 300n, 2n ** 53n, 1_800_000_000_000n, max, -1n, -2n, -1_800_000_000_001n, -(2n ** 53n), -max - 1n])(
  'the signed integer %p is read with its sign, whatever follows it',
  (value) => {
    for (const next of [0, 1, 255]) {
      const bytes = Uint8Array.from([...encodeInt64(value), next, next])
      const reader = new ProtobufReader(bytes)
      expect(reader.int64(bytes.length)).toBe(Number(value))
      expect(reader.at).toBe(bytes.length - 2)
    }
  },
)

test('a signed integer with padding is not negative', () => {
  const bytes = Uint8Array.from([
    ...encodeInt64(5n).map((byte) => byte | 128),
    ...Array.from({ length: 8 }, () => 128),
    0,
  ])
  expect(new ProtobufReader(bytes).int64(bytes.length)).toBe(5)
})
