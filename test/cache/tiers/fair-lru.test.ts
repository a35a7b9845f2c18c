import { expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { createFairLru } from '../../../src/cache/tiers/fair-lru.ts'

type One = { owner: number; key: number; weight: number }

const owners = fc.integer({ min: 1, max: 9 })
const keys = fc.integer({ min: 1, max: 5 })
const steps = fc.oneof(
  fc.record({ do: fc.constant('set' as const), owner: owners, key: keys, weight: fc.integer({ min: 1, max: 9 }) }),
  fc.record({ do: fc.constantFrom('get' as const, 'delete' as const, 'evictFrom' as const), owner: owners, key: keys }),
  fc.record({ do: fc.constant('evictFromLargest' as const) }),
)

test.each(['size', 'weight'] as const)('by %s, the owner that holds most gives what it used least', (rank) => {
  fc.assert(
    fc.property(fc.array(steps, { maxLength: 150 }), (list) => {
      const lru = createFairLru<number, One>({ rank, weigh: ({ weight }) => weight })
      let model: One[] = [] // in order of use
      const take = (one: One | undefined) => {
        model = model.filter((other) => other !== one)
        return one
      }
      const find = (owner: number, key: number) => model.find((one) => one.owner === owner && one.key === key)
      const of = (owner: number) => model.filter((one) => one.owner === owner)
      const weightOf = (all: One[]) => all.reduce((sum, { weight }) => sum + weight, 0)
      const heldBy = (owner: number) => (rank === 'size' ? of(owner).length : weightOf(of(owner)))
      for (const step of list) {
        if (step.do === 'set') {
          const { do: _, ...one } = step
          take(find(one.owner, one.key))
          model.push(one)
          lru.set(one.owner, one.key, one)
        } else if (step.do === 'get') {
          const known = take(find(step.owner, step.key))
          if (known) model.push(known)
          expect(lru.get(step.owner, step.key)).toBe(known)
        } else if (step.do === 'delete') {
          take(find(step.owner, step.key))
          lru.delete(step.owner, step.key)
        } else if (step.do === 'evictFrom') {
          expect(lru.evictFrom(step.owner)).toBe(take(of(step.owner)[0]))
        } else {
          const max = Math.max(...model.map(({ owner }) => heldBy(owner)))
          expect(lru.evictFromLargest()).toBe(take(model.find(({ owner }) => heldBy(owner) === max)))
        }
        expect([lru.size, lru.weight]).toEqual([model.length, weightOf(model)])
        expect(lru.owners().toSorted()).toEqual([...new Set(model.map(({ owner }) => owner))].toSorted())
        for (const owner of lru.owners()) expect(lru.of(owner).toReversed()).toEqual(of(owner))
      }
    }),
    { numRuns: 300 },
  )
})
