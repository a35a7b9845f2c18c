import type { Item, Outcome } from './item.ts'

/** How often an item failed in a row; null: it was not tried yet. */
export type Failures = number | null

/** `isSure`: each of the others was tried, and its last try did not fail. */
export type Failing = { failing: number; all: number; isSure: boolean }

const minTimes = 3
const minMs = 300_000

/** A scrape that fails, or a run of which nothing could be written. A probe that finds its target down is a measurement. */
export function hasFailed({ kind }: Pick<Item, 'kind'>, { ok }: Outcome, refused: string | null): boolean {
  return refused !== null || (kind === 'target' && !ok)
}

type Tried = { item: { what: { intervalMs: number } }; failures: Failures }

/** An item fails again and again once it did so three times in a row, and for five minutes. */
export function failingOf(entries: Iterable<Tried>): Failing {
  const all = [...entries]
  const isFailing = ({ item, failures }: Tried) =>
    (failures ?? 0) >= Math.max(minTimes, Math.ceil(minMs / item.what.intervalMs))
  const failing = all.filter(isFailing).length
  const isSure = all.every((one) => one.failures === 0 || isFailing(one))
  return { failing, all: all.length, isSure }
}
