import { expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { importSamples } from '../../src/embedded/import-samples.ts'
import { samplesIn, select, storeWorld, where } from './store/store-world.ts'

const nowMs = 1_795_255_200_000
const keepMs = 100 * 86_400_000
const clock = { now: () => nowMs }
const [series, minutes] = [4, 3000]

type World = ReturnType<typeof storeWorld>
/** A piece of history: so many minutes of a series, in this order, some of them twice. */
type Part = { series: number; from: number; count: number; order: 'forwards' | 'backwards' | 'mixed'; twice: boolean }

const part: fc.Arbitrary<Part> = fc.record({
  series: fc.nat(series - 1),
  from: fc.nat(minutes - 1),
  count: fc.integer({ min: 1, max: 1500 }),
  order: fc.constantFrom('forwards' as const, 'backwards' as const, 'mixed' as const),
  twice: fc.boolean(),
})

const line = (one: number, minute: number) => `m{s="${one}"} ${one * 1e6 + minute} ${nowMs / 1000 - 60 * minute}\n`

function linesOf({ series: one, from, count, order, twice }: Part): string[] {
  const forwards = Array.from({ length: Math.min(count, minutes - from) }, (_, at) => line(one, from + at))
  const ordered = {
    forwards,
    backwards: forwards.toReversed(),
    mixed: forwards.map((_, at) => forwards[(at * 7919) % forwards.length] ?? ''),
  }[order]
  return twice ? [...ordered, ...ordered.slice(0, 100)] : ordered
}

async function imports(world: World, lines: string[], piece: number): Promise<void> {
  async function* chunks() {
    for (let at = 0; at < lines.length; at += piece) yield Buffer.from(lines.slice(at, at + piece).join(''))
    yield Buffer.from('# EOF\n')
  }
  await importSamples({ store: world.store(), organizationId: 1, chunks: chunks(), clock, keepMs, flushEvery: 400 })
}

function stored(world: World) {
  const found = select(world.store(), 1, [where('__name__', '=', 'm')], 0, 1e15)
  return found
    .map((one) => [one.labels['s'], samplesIn(one)] as const)
    .toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1))
}

function newWorld(): World {
  const world = storeWorld({ keepMs })
  world.setNow(nowMs)
  return world
}

test('parts in any order, overlapping and at the same time, give the samples of one import of all, at once and after a kill', async () => {
  const run = async (parts: Part[], piece: number) => {
    const [apart, together] = [newWorld(), newWorld()]
    try {
      await imports(together, parts.flatMap(linesOf), 500)
      let ended = 0
      const all = parts.map(async (one) => {
        await imports(apart, linesOf(one), piece)
        ended += 1
        const there = new Set(
          stored(apart).flatMap(([name, samples]) => samples.map(([timeMs]) => `${name} ${timeMs}`)),
        )
        const own = linesOf(one).map((text) => `${one.series} ${Number(text.split(' ')[2]) * 1000}`)
        expect(own.filter((sample) => !there.has(sample))).toEqual([]) // samples reported as imported are visible
      })
      await Promise.all(all)
      expect(ended).toBe(parts.length)
      expect(stored(apart)).toEqual(stored(together))
      apart.reopen()
      expect(stored(apart)).toEqual(stored(together))
      await Promise.all(parts.map((one) => imports(apart, linesOf(one), 1000)))
      expect(stored(apart)).toEqual(stored(together))
    } finally {
      apart.close()
      together.close()
    }
  }
  const some = fc.array(part, { minLength: 1, maxLength: 8 })
  await fc.assert(fc.asyncProperty(some, fc.integer({ min: 1, max: 700 }), run), { numRuns: 12 })
}, 60_000)
