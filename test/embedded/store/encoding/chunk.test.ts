import { expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { isStale, wordsOf } from '../../../../src/embedded/promql/reader.ts'
import { packChunk, unpackChunk } from '../../../../src/embedded/store/encoding/chunk.ts'
import { type Columns, columns, inOrder, merged, push } from '../../../../src/embedded/store/columns.ts'
import { largestInteger } from '../../../../src/embedded/store/encoding/integers.ts'

const times = fc.oneof(
  fc.integer({ min: -largestInteger, max: largestInteger }),
  fc.integer({ min: 1_700_000_000_000, max: 1_700_000_100_000 }),
)
const anyDouble = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })
const bitsOf = (value: number) => new BigUint64Array(new Float64Array([value]).buffer)[0] ?? 0n
const special = [0, -0, Infinity, -Infinity, NaN, Number.MIN_VALUE, Number.MAX_VALUE, 2 ** 53, -(2 ** 50)].map(bitsOf)
const stale = 0x7ff0000000000002n
const one = fc.oneof(
  anyDouble,
  fc.constantFrom(...special, stale, 0x7ff8000000000001n, 0xfff8000000000000n),
  fc.double({ noNaN: true }).map(bitsOf),
)
const alike = fc.oneof(
  fc.array(one, { minLength: 1, maxLength: 360 }),
  fc.array(fc.integer().map(bitsOf), { minLength: 1, maxLength: 360 }),
  fc.array(
    fc.integer({ min: -1e9, max: 1e9 }).map((integer) => bitsOf(integer / 1000)),
    { minLength: 1, maxLength: 360 },
  ),
)

function samplesOf(pairs: [number, bigint][]): Columns {
  const values = new Float64Array(new BigUint64Array(pairs.map(([, bits]) => bits)).buffer)
  return { timesMs: Float64Array.from(pairs, ([time]) => time), values, length: pairs.length }
}

function pairsOf({ timesMs, values, length }: Columns): [number, bigint][] {
  const bits = new BigUint64Array(values.slice(0, length).buffer)
  return Array.from(bits, (each, index): [number, bigint] => [timesMs[index] ?? NaN, each])
}

const pairs = fc.tuple(fc.uniqueArray(times, { minLength: 1, maxLength: 360 }), alike).map(([some, bits]) =>
  some
    .slice(0, bits.length)
    .toSorted((a, b) => a - b)
    .map((time, index): [number, bigint] => [time, bits[index] ?? 0n]),
)

test('a chunk gives back every time and every bit of every value, behind what is already there', () => {
  fc.assert(
    fc.property(pairs, pairs, (first, second) => {
      const into = columns(0)
      unpackChunk(packChunk(samplesOf(first)), into)
      unpackChunk(packChunk(samplesOf(second)), into)
      expect(pairsOf(into)).toEqual([...first, ...second])
    }),
    { numRuns: 300 },
  )
})

test('a chunk of which any byte has changed is not unpacked', () => {
  const chunk = packChunk(samplesOf(Array.from({ length: 240 }, (_, at) => [at * 15_000, bitsOf(at / 3)])))
  for (let at = 2; at < chunk.length; at += 1) {
    const changed = chunk.slice()
    changed[at] = (changed[at] ?? 0) ^ 1
    const into = columns(0)
    expect(() => unpackChunk(changed, into)).toThrow('a chunk is not as it was written')
    expect(into.length).toBe(0)
  }
})

test('integers come back whatever the length of their codes, also where one is far from the rest', () => {
  for (let exponent = 0; exponent < 50; exponent += 1) {
    for (const far of [1, 3, 11, 12, 13, 4000]) {
      const step = (index: number) => (index % 2) * (2 ** exponent - index) * (index % 40 === 39 ? far : 1)
      const pairs = hour.map((index): [number, bigint] => [15_000 * index, bitsOf(Math.min(step(index), 2 ** 53))])
      const [into, other] = [columns(0), columns(0)]
      unpackChunk(packChunk(samplesOf(pairs)), into)
      unpackChunk(packChunk(samplesOf(pairs.slice(0, 7))), other)
      expect(pairsOf(into)).toEqual(pairs)
      expect(pairsOf(other)).toEqual(pairs.slice(0, 7))
    }
  }
})

test('samples in any order become one a time, the last that came; of two lists the newer one counts', () => {
  const unordered = fc.array(fc.tuple(fc.integer({ min: 0, max: 30 }), one), { maxLength: 40 })
  fc.assert(
    fc.property(unordered, unordered, (older, newer) => {
      const byTime = (all: [number, bigint][]) => [...new Map(all)].toSorted(([a], [b]) => a - b)
      const [left, right] = [inOrder(samplesOf(older)), inOrder(samplesOf(newer))]
      expect(pairsOf(left)).toEqual(byTime(older))
      expect(pairsOf(merged(left, right))).toEqual(byTime([...older, ...newer]))
    }),
  )
})

test('only the marker is stale, not another NaN', () => {
  const some = columns(1)
  for (const value of [1, 'stale', NaN] as const) push(some, some.length, value)
  expect([0, 1, 2].map((index) => isStale(some.values, index))).toEqual([false, true, false])
  expect(Array.from(wordsOf(some.values).slice(2, 4))).toEqual([2, 0x7ff00000])
})

const hour = Array.from({ length: 240 }, (_, index) => index)
const wave = (index: number) => Math.abs(Math.sin(index * 12.9898) * 43758.5453) % 1 // reproducible noise
test.each([
  ['a constant', 0.5, () => 1],
  ['a regular counter', 0.5, (index: number) => 1_000_000 + 30 * index],
  ['a noisy counter', 1.6, (index: number) => 1_000_000 + 150 * index + Math.round(40 * wave(index))],
  ['a duration to the microsecond', 3, (index: number) => Math.round(20_000 + 50_000 * wave(index)) / 1e6],
  ['a noisy double', 8.5, (index: number) => wave(index)],
])('%s costs at most %p bytes a sample', (_, max, value) => {
  const samples = columns(240)
  for (const index of hour)
    push(samples, 1_700_000_000_000 + 15_000 * index + Math.round(2 * wave(index)), value(index))
  expect(packChunk(samples).length / 240).toBeLessThan(max)
})

test('a regular clock costs nothing, nor does a counter that goes up by the same', () => {
  const regular = columns(240)
  for (const index of hour) push(regular, 1_700_000_000_000 + 15_000 * index, 7 * index)
  expect(packChunk(regular).length).toBeLessThan(32)
  const into = columns(0)
  unpackChunk(packChunk(regular), into)
  expect(pairsOf(into)).toEqual(pairsOf(regular))
})
