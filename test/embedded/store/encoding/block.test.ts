import { expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { columns } from '../../../../src/embedded/store/columns.ts'
import { Blocks, type Chain } from '../../../../src/embedded/store/encoding/block.ts'

const atMs = (sample: number) => 1_700_000_000_000 + sample * 15_000

function add(blocks: Blocks, chain: Chain, count: number, from = 0): void {
  for (let at = from; at < from + count; at += 1) blocks.add(chain, atMs(at), Math.imul(at, 0x9e3779b1), at % 7)
}

function timesIn(blocks: Blocks, chain: Chain): number[] {
  const read = columns(0)
  blocks.read(chain, read, -Infinity, Infinity)
  return [...read.timesMs.subarray(0, read.length)]
}

test('chains that grow, end and begin side by side keep their own samples', () => {
  const step = fc.record({ chain: fc.nat(9), count: fc.integer({ min: 0, max: 90 }) }) // 0: the chain ends
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const blocks = new Blocks()
      const chains = new Map<number, { chain: Chain; length: number }>()
      for (const { chain: name, count } of steps) {
        const known = chains.get(name) ?? { chain: blocks.begin(), length: 0 }
        if (count === 0) {
          blocks.free(known.chain)
          chains.delete(name)
          continue
        }
        add(blocks, known.chain, count, known.length)
        chains.set(name, { ...known, length: known.length + count })
      }
      for (const { chain, length } of chains.values()) {
        expect(timesIn(blocks, chain)).toEqual(Array.from({ length }, (_, at) => atMs(at)))
        expect(blocks.span(chain)).toEqual({ fromMs: atMs(0), toMs: atMs(length - 1) })
      }
    }),
    { numRuns: 200 },
  )
})

test('what chains held is used again, and is given back once all of them have ended', () => {
  const blocks = new Blocks()
  const make = () => {
    const chains = Array.from({ length: 1000 }, () => blocks.begin())
    for (const chain of chains) add(blocks, chain, 60)
    return chains
  }
  make().forEach((chain) => blocks.free(chain))
  expect(blocks.bytes()).toBe(0)
  const chains = make()
  const before = blocks.bytes()
  for (let round = 0; round < 20; round += 1) {
    chains.splice(0, 100).forEach((chain) => blocks.free(chain))
    for (let more = 0; more < 100; more += 1) {
      const chain = blocks.begin()
      add(blocks, chain, 60)
      chains.push(chain)
    }
  }
  expect(blocks.bytes()).toBe(before)
})
