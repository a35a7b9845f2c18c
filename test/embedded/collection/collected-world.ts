import { parseExposition } from '../exposition/parse-exposition.ts'
import type { Sample } from '../../../src/embedded/exposition/scrape-cache.ts'
import type { LabelLimits } from '../../../src/embedded/store/labels.ts'
import { samplesIn, select, storeWorld, where } from '../store/store-world.ts'

/** Name of a series in these tests: `m{job="a"}`, labels in order of name. */
export function nameOf(labels: Iterable<readonly [string, string]>): string {
  const { __name__: name = '', ...others } = Object.fromEntries(labels)
  const pairs = Object.entries(others).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return `${name}{${pairs.map(([label, value]) => `${label}=${JSON.stringify(value)}`).join(',')}}`
}

/** Parses the samples that a target exposes. */
export function readingsOf(text: string): Sample[] {
  return parseExposition(text, { contentType: null, keepEmpty: true }).samples
}

/** A store with a clock that only the test advances. */
export function collectedWorld(settings: { keepMs?: number; limits?: LabelLimits } = {}) {
  const world = storeWorld(settings)
  let nowMs = 0
  return {
    store: world.store,
    clock: { now: () => nowMs },
    close: world.close,
    setNow(timeMs: number) {
      nowMs = timeMs
      world.setNow(timeMs)
    },
    /** Samples of the series whose metric names match, by series name; including samples in the future. */
    kept(metrics: string) {
      const found = select(world.store(), 1, [where('__name__', '=~', metrics)], 0, 1e15)
      return Object.fromEntries(
        Array.from(found, (series) => [nameOf(Object.entries(series.labels)), samplesIn(series)]),
      )
    },
  }
}
