import type { KnownTexts } from '../exposition/known-texts.ts'
import type { Findings } from './findings.ts'
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
  /** What the scrapes of a target expose again and again. */
  known?: KnownTexts
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

/** A run that is over. */
type Run = { atMs: number; durationMs: number; ok: boolean }

/** How the last run of a target or probe went; a run that was given up says nothing. */
export type Health = {
  status: 'up' | 'down' | 'unknown'
  lastAtMs: number | null
  lastDurationMs: number | null
  lastError: string | null
  /** How many samples it gave. */
  samples: number
  /** The last runs since the start, oldest first. */
  recent: readonly Run[]
  /** What a probe found out; null of a target. */
  findings: Findings | null
  /** When it runs next; null where it does not. */
  nextAtMs: number | null
}

/** Before the first run. */
export const unknownHealth: Health = {
  status: 'unknown',
  lastAtMs: null,
  lastDurationMs: null,
  lastError: null,
  samples: 0,
  recent: [],
  findings: null,
  nextAtMs: null,
}

const maxRecent = 20

/** With one run more, the oldest beyond 20 dropped. */
export function withRun(recent: readonly Run[], run: Run): Run[] {
  return [...recent.slice(1 - maxRecent), run]
}

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

/** When something is due: at `offsetMs` and each `intervalMs` before and after it, on the clock on the wall. */
export type Schedule = { intervalMs: number; offsetMs: number }

/** Spreads what has the same interval over its seconds; the same key is due at the same times after each start. */
export function scheduleOf(key: string, intervalMs: number): Schedule {
  const seconds = Math.max(1, Math.floor(intervalMs / 1000))
  return { intervalMs, offsetMs: (Bun.hash.crc32(key) % seconds) * 1000 }
}

/** The last time at or before this at which it was due. */
export function lastDue({ intervalMs, offsetMs }: Schedule, nowMs: number): number {
  return Math.floor((nowMs - offsetMs) / intervalMs) * intervalMs + offsetMs
}

/** Whether a due time is recent enough to be met yet: after a jump of the clock, or a long sleep, the next one is. */
export function isTimely({ intervalMs }: Schedule, dueMs: number, nowMs: number): boolean {
  return nowMs - dueMs <= Math.min(5000, intervalMs / 2)
}

/** Those of an organization that took long to fail last time have a queue of their own: the others do not wait for them. */
export function groupOf({ item, health: { status, lastDurationMs } }: { item: Item } & { health: Health }): string {
  const isSlow = status === 'down' && (lastDurationMs ?? 0) >= slowMs
  return `${item.what.organizationId} ${isSlow ? 'slow' : 'quick'}`
}

const slowMs = 1000
