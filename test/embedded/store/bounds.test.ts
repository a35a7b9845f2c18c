import { describe, expect, test } from 'bun:test'
import { labels, samplesIn, select, storeWorld, where } from './store-world.ts'

const all = [where('__name__', '=', 'm')]

describe('beyond a bound', () => {
  const rounds = 6000

  /** Stores a sample every second in so many series of each organization. */
  function fill(world: ReturnType<typeof storeWorld>, seriesOf: Record<number, number>) {
    const all = Object.entries(seriesOf).flatMap(([id, count]) =>
      Array.from({ length: count }, (_, index) => ({ id: Number(id), name: labels({ series: `${index}` }) })),
    )
    for (let round = 0; round < rounds; round += 1) {
      for (const { id, name } of all) world.store().append(id, name, round * 1000, Math.sin(round))
      if (round % 500 === 499) world.store().flush()
    }
    world.store().flush()
  }
  const heldBy = (world: ReturnType<typeof storeWorld>, id: number) =>
    select(world.store(), id, all, 0, 1e9).reduce((sum, series) => sum + samplesIn(series).length, 0)

  test('the organization that holds most forgets its oldest; what others have stays whole', async () => {
    const maxBytes = 600_000
    const world = storeWorld({ maxBytes })
    fill(world, { 1: 2, 2: 20, 3: 1 })
    expect(world.store().maxUsed()).toEqual(world.store().usedBy(2))
    await world.store().pruneOld()
    expect(world.store().usedBytes()).toBeLessThanOrEqual(maxBytes)
    expect([heldBy(world, 1), heldBy(world, 3)]).toEqual([2 * rounds, rounds])
    expect(heldBy(world, 2)).toBeLessThan((20 * rounds) / 2)
    const ends = select(world.store(), 2, all, 0, 1e9).map((series) => samplesIn(series).at(-1)?.[0])
    expect(ends).toEqual(Array.from({ length: 20 }, () => (rounds - 1) * 1000))
    world.close()
  })

  test('an organization that has more than its quota forgets its oldest, however much room there is', async () => {
    const world = storeWorld({ maxBytesOfOrganization: 100_000 })
    fill(world, { 1: 8, 2: 1 })
    expect(world.store().usedBy(1).bytes).toBeGreaterThan(100_000)
    await world.store().pruneOld()
    expect(world.store().usedBy(1).bytes).toBeLessThanOrEqual(100_000)
    expect(world.store().usedBy(1)).toMatchObject({ series: 8 })
    expect(heldBy(world, 2)).toBe(rounds)
    world.reopen()
    expect(world.store().usedBy(1).bytes).toBeLessThanOrEqual(100_000)
    world.close()
  })
})
