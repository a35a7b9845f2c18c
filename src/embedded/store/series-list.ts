import type { Series } from './series.ts'

const keptGone = 8 // an eighth of a list may be series that are removed

/** Series in the order of their ids, in which they were made: a fifth of what a set or a map of them takes. */
export class SeriesList {
  private all: Series[]
  private gone = 0

  constructor(...all: Series[]) {
    this.all = all
  }

  get size(): number {
    return this.all.length - this.gone
  }

  /** One of them, or one that was among them. */
  get any(): Series | undefined {
    return this.all[0]
  }

  add(series: Series): void {
    this.all.push(series)
  }

  /** Of a series that is `removed` now. */
  remove(): void {
    this.gone += 1
    if (this.gone * keptGone < this.all.length) return
    this.all = this.all.filter(({ removed }) => !removed) // another list: who goes over the last one goes on
    this.gone = 0
  }

  find(id: number): Series | undefined {
    const found = this.all[this.placeOf(id)]
    return found?.id === id && !found.removed ? found : undefined
  }

  /** Those with ids beyond one, at most so many. */
  after(id: number, max: number): Series[] {
    const found: Series[] = []
    for (let at = this.placeOf(id + 1); at < this.all.length && found.length < max; at += 1) {
      const series = this.all[at]
      if (series && !series.removed) found.push(series)
    }
    return found
  }

  *[Symbol.iterator](): Generator<Series> {
    for (const series of this.all) if (!series.removed) yield series
  }

  /** The first place with an id that is not before this one. */
  private placeOf(id: number): number {
    let low = 0
    let high = this.all.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.all[middle]?.id ?? id) < id) low = middle + 1
      else high = middle
    }
    return low
  }
}
