import { expect, test } from 'bun:test'
import * as fc from 'fast-check'
import type { StoredSeries } from '../../../src/embedded/store/series.ts'
import { SeriesList } from '../../../src/embedded/store/series-list.ts'

function newSeries(id: number): StoredSeries {
  return { id, organizationId: 1, key: '', labels: {}, head: undefined, barrier: undefined, isRemoved: false }
}

const ids = (all: Iterable<StoredSeries>) => Array.from(all, ({ id }) => id)

test('a list has the series that were added and not removed, in the order of their ids', () => {
  const steps = fc.array(fc.record({ gap: fc.integer({ min: 1, max: 3 }), removed: fc.nat(200) }), { maxLength: 200 })
  fc.assert(
    fc.property(steps, (some) => {
      const list = new SeriesList()
      const model: StoredSeries[] = []
      let id = 0
      for (const { gap, removed } of some) {
        id += gap
        model.push(newSeries(id))
        model.slice(-1).forEach((series) => list.add(series))
        for (const series of model.splice(removed, 1)) {
          series.isRemoved = true
          list.noteRemoval()
        }
      }
      expect(list.size).toBe(model.length)
      expect(ids(list)).toEqual(ids(model))
      for (let each = 0; each <= id + 1; each += 1) expect(list.find(each)).toBe(model.find((one) => one.id === each))
      const half = Math.floor(id / 2)
      expect(ids(list.after(half, 5))).toEqual(ids(model.filter((one) => one.id > half).slice(0, 5)))
    }),
    { numRuns: 200 },
  )
})

test('who goes over a list while most of it is removed meets the others once', () => {
  const all = Array.from({ length: 100 }, (_, at) => newSeries(at))
  const list = new SeriesList(...all)
  const met: number[] = []
  for (const { id } of list) {
    met.push(id)
    if (id !== 10) continue
    for (const series of all.slice(0, 90)) {
      series.isRemoved = true
      list.noteRemoval()
    }
  }
  expect(met).toEqual([...Array.from({ length: 11 }, (_, at) => at), ...Array.from({ length: 10 }, (_, at) => 90 + at)])
})
