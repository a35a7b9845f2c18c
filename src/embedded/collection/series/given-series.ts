import { adding, type Steps } from '../../../concurrency/steps.ts'
import type { Label, Text } from '../../exposition/sample.ts'
import type { Place } from '../../store/sample-store.ts'
import type { Declaration } from '../../store/series-index.ts'
import type { Reading } from '../target.ts'
import { mergedInOrder, mergedLabels } from './target-labels.ts'

/**
 * `key`: its labels as JSON, which takes less than they do. `plain`: the labels that come to it with those of the target
 * beside them; there is one of these. `lastMs`: of its newest sample. `seenIn`, `aliveIn`: the newest write with it, and
 * with it at the time of the write.
 */
export type Series = {
  key: string
  plain: Given | undefined
  place: Place | undefined
  lastMs: number
  seenIn: number
  aliveIn: number
}

/** Some labels as they are given; two of them may come to the same series. `owner`: undefined once it is forgotten. */
export class Given {
  readonly series: Series
  owner: object | undefined
  seenIn = -1

  constructor(series: Series, owner: object) {
    this.series = series
    this.owner = owner
  }
}

/** What readings come to, one for each; what was not there before is `fresh`. */
export type Found = {
  given: Given[]
  /** By the key of the series. */
  freshPlain: Map<string, Given>
  freshGiven: Map<string, Given>
  freshTexts: Map<Text, Given>
  fresh: Map<string, Series>
  declaration: Declaration
}

/** The labels that one target or probe gives, and the series that they come to. */
type GivenSeries = {
  /** How many labels there are. */
  count(): number
  series(): IteratorObject<Series>
  seriesCount(): number
  /** Declares those that are missing; `also`: other series to be declared. */
  finding(readings: readonly Reading[], declaration: Declaration, also: readonly Series[]): Steps<Found>
  /** Makes what is missing, all or none. */
  making(found: Found): Steps<void>
  forgettingUnseen(write: number): Steps<void>
  clear(): void
}

type Options = { labels: readonly Label[]; honorLabels: boolean }

const readingsAtOnce = 50
const quickAtOnce = 500

export function createGivenSeries({ labels: ofTarget, honorLabels }: Options): GivenSeries {
  const byGiven = new Map<string, Given>() // those that are not plain
  let plainCount = 0
  const byLabels = new Map<string, Series>()
  let owner = {} // of the marks of texts, which spare to look at the labels

  return {
    count: () => plainCount + byGiven.size,
    series: () => byLabels.values(),
    seriesCount: () => byLabels.size,
    *finding(readings, declaration, also) {
      const freshPlain = new Map<string, Given>()
      const freshGiven = new Map<string, Given>()
      const freshTexts = new Map<Text, Given>()
      const fresh = new Map<string, Series>()
      const given: Given[] = []

      function seriesOf(labels: readonly Label[]): Series {
        const key = JSON.stringify(labels)
        const before = byLabels.get(key) ?? fresh.get(key)
        if (before) return before
        const series = newSeries(key)
        declaration.add(labels, series)
        fresh.set(key, series)
        return series
      }

      function find(labels: readonly Label[]): Given {
        const inOrder = mergedInOrder(labels, ofTarget)
        return inOrder ? findPlain(inOrder) : findOther(labels)
      }

      function findPlain(merged: readonly Label[]): Given {
        const series = seriesOf(merged)
        const before = series.plain ?? freshPlain.get(series.key)
        if (before) return before
        const found = new Given(series, owner)
        freshPlain.set(series.key, found)
        return found
      }

      function findOther(labels: readonly Label[]): Given {
        const key = JSON.stringify(labels)
        const before = byGiven.get(key) ?? freshGiven.get(key)
        if (before) return before
        const found = new Given(seriesOf(mergedLabels(labels, ofTarget, honorLabels)), owner)
        freshGiven.set(key, found)
        return found
      }

      for (const series of also) declaration.add(JSON.parse(series.key), series)
      let steps = 0
      for (const reading of readings) {
        const { text } = reading
        const mark = text?.mark
        let found = mark instanceof Given && mark.owner === owner ? mark : undefined
        if (!found) {
          found = find(reading.labels)
          if (text) freshTexts.set(text, found)
          steps += quickAtOnce / readingsAtOnce
        }
        given.push(found)
        steps += 1
        if (steps < quickAtOnce) continue
        steps = 0
        yield
      }
      return { given, freshPlain, freshGiven, freshTexts, fresh, declaration }
    },
    *making({ freshPlain, freshGiven, freshTexts, fresh, declaration }) {
      yield* declaration.making()
      yield* adding(
        fresh.values().map((series) => [series.key, series] as const),
        byLabels,
      )
      const plain = { set: (_: string, given: Given) => void (given.series.plain = given) }
      yield* adding(freshPlain, plain)
      plainCount += freshPlain.size
      yield* adding(freshGiven, byGiven)
      yield* adding(freshTexts, { set: (text, given) => void (text.mark = given) })
    },
    *forgettingUnseen(write) {
      let seen = 0
      for (const [key, given] of byGiven) {
        seen += 1
        if (seen % quickAtOnce === 0) yield
        if (given.seenIn === write) continue
        byGiven.delete(key)
        given.owner = undefined
        if (given.series.seenIn !== write) byLabels.delete(given.series.key)
      }
      for (const series of byLabels.values()) {
        seen += 1
        if (seen % quickAtOnce === 0) yield
        if (!series.plain || series.plain.seenIn === write) continue
        plainCount -= 1
        series.plain.owner = undefined
        series.plain = undefined
        if (series.seenIn !== write) byLabels.delete(series.key)
      }
    },
    clear() {
      byGiven.clear()
      plainCount = 0
      byLabels.clear()
      owner = {}
    },
  }
}

export function newSeries(key: string): Series {
  return { key, plain: undefined, place: undefined, lastMs: -Infinity, seenIn: -1, aliveIn: -1 }
}
