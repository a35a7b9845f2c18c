import type { Probe, Reading, ScrapeTarget } from './target.ts'

/** What is collected. */
export type Item = { kind: 'target'; what: ScrapeTarget } | { kind: 'probe'; what: Probe }

/** What one run of an item gave. `error`: a sentence without secrets, null where it is `ok`. */
export type Outcome = { ok: boolean; error: string | null; durationMs: number; readings: readonly Reading[] }

/**
 * The series of one item. `write`: what a run gave, at the time it was due; gives in a sentence what was refused of it, and
 * throws the reason of `signal` where nothing was written because it was aborted. `end`: nothing more will come.
 */
export type ItemSeries = {
  write(timeMs: number, outcome: Outcome, signal: AbortSignal): string | null | Promise<string | null>
  end(timeMs: number): void | Promise<void>
}

/** The same text for the same item, whatever is changed of it. */
export function keyOf({ kind, what }: Item): string {
  return `${kind} ${what.id}`
}

/** For a log. */
export function nameOf({ kind, what }: Item) {
  return { [kind]: what.name, organization: what.organizationId }
}

/** Whether the one goes on with the series of the other. */
export function isContinued(a: Item, b: Item): boolean {
  return Bun.deepEquals(namingOf(a), namingOf(b))
}

function namingOf(item: Item) {
  const { name, labels } = item.what
  return item.kind === 'target'
    ? { name, labels, at: item.what.url, honorLabels: item.what.honorLabels }
    : { name, labels, at: item.what.target }
}

export function withTimeout(item: Item, maxMs: number): Item {
  const timeoutMs = Math.min(item.what.timeoutMs, maxMs)
  return item.kind === 'target'
    ? { kind: 'target', what: { ...item.what, timeoutMs } }
    : { kind: 'probe', what: { ...item.what, timeoutMs } }
}
