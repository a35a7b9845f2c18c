import type { SeenCertificate } from '../../certificate.ts'
import { AppError } from '../../errors.ts'
import type { ScrapeCache } from '../exposition/scrape-cache.ts'
import type { ProbeFindings } from './findings.ts'
import type { Probe, CollectedSample, ScrapeTarget } from './target.ts'

/** A scrape target or a probe, with its settings; secrets are unsealed. */
export type Item = { kind: 'target'; definition: ScrapeTarget } | { kind: 'probe'; definition: Probe }

/** Result of one run of an item. `error`: a sentence without secrets; null if `ok`. `certificate`: that a probe saw. */
export type Outcome = {
  ok: boolean
  error: string | null
  durationMs: number
  samples: readonly CollectedSample[]
  certificate?: SeenCertificate | null
}

/**
 * Series of one item. `write` stores the result of a run at its due time, and returns why it was refused, or null. `write` throws
 * the reason of `signal` if that was aborted before anything was written. `end` marks all series as ended. `storedRuns` reads the
 * last runs of a probe that were written, oldest first.
 */
export type ItemSeries = {
  /** Scrape cache of a target. */
  scrapeCache?: ScrapeCache
  write(timeMs: number, outcome: Outcome, signal: AbortSignal): string | null | Promise<string | null>
  end(timeMs: number): void | Promise<void>
  storedRuns?(): Run[]
}

/** Key of an item, which no change of its settings affects. */
export function keyOf({ kind, definition }: Item): string {
  return `${kind} ${definition.id}`
}

/** Log fields that name an item. */
export function nameOf({ kind, definition }: Item) {
  return { [kind]: definition.name, organization: definition.organizationId }
}

/** True if one item continues the series of the other: they differ in nothing that identifies series. */
export function isContinued(a: Item, b: Item): boolean {
  return Bun.deepEquals(namingOf(a), namingOf(b))
}

function namingOf(item: Item) {
  const { name, labels } = item.definition
  return item.kind === 'target'
    ? { name, labels, at: item.definition.url, honorLabels: item.definition.honorLabels }
    : { name, labels, at: item.definition.target }
}

export function withTimeout(item: Item, maxMs: number): Item {
  const timeoutMs = Math.min(item.definition.timeoutMs, maxMs)
  return item.kind === 'target'
    ? { kind: 'target', definition: { ...item.definition, timeoutMs } }
    : { kind: 'probe', definition: { ...item.definition, timeoutMs } }
}

/**
 * A finished run. `ok`: it succeeded, for a probe also if its samples were refused. `error`: why it failed; null: it did not, or the
 * reason is not known.
 */
export type Run = { atMs: number; durationMs: number; ok: boolean; error: string | null }

/** State after the last run of a target or probe; aborted runs do not count. */
export type Health = {
  status: 'up' | 'down' | 'unknown'
  lastAtMs: number | null
  lastDurationMs: number | null
  /** Why the last run failed, or why its samples were refused; null: neither. */
  lastError: string | null
  /** Number of samples of the last run. */
  samples: number
  /** Last runs, oldest first. Before the start of nines, only stored ones: no runs that confirm a failure. */
  recent: readonly Run[]
  /** Findings of a probe; null for a target, and before the first run. */
  findings: ProbeFindings | null
  /** Time of the first failed run of a probe whose target is down, once that is confirmed; otherwise null. */
  downSinceMs: number | null
  /** Time of the next run; null if it is not collected. */
  nextAtMs: number | null
}

/** Health before the first run. */
export const unknownHealth: Health = {
  status: 'unknown',
  lastAtMs: null,
  lastDurationMs: null,
  lastError: null,
  samples: 0,
  recent: [],
  findings: null,
  downSinceMs: null,
  nextAtMs: null,
}

export const maxRecent = 20

/** Appends a run; drops the oldest beyond 20. */
export function withRun(recent: readonly Run[], run: Run): Run[] {
  return [...recent.slice(1 - maxRecent), run]
}

/** True if nines lacks what a run needs, such as file descriptors or memory. */
export function isLack(error: unknown): error is AppError {
  return error instanceof AppError && error.kind === 'unavailable'
}

/** Health after an error of nines ended a run: it measured nothing. */
export function withoutRun({ recent, downSinceMs }: Health, error: unknown, lastAtMs: number): Health {
  const lastError = isLack(error) ? error.message : 'nines failed: see its log'
  return { ...unknownHealth, lastAtMs, lastError, recent, downSinceMs }
}

/** Consecutive failures of an item; null: not run yet. */
export type Failures = number | null

/** `all`: number of all items; `names`: of the failing ones; `isSure`: true if each item that is not failing has run, and its last run did not fail. */
export type Failing = { failing: number; names: string[]; all: number; isSure: boolean }

const minFailures = 3
const minFailingMs = 300_000

/** True for a failed scrape, and for a run whose samples were refused. A probe that finds its target down is a measurement. */
export function hasFailed({ kind }: Pick<Item, 'kind'>, { ok }: Outcome, refusal: string | null): boolean {
  return refusal !== null || (kind === 'target' && !ok)
}

type ItemFailures = { item: { definition: { name: string; intervalMs: number } }; failures: Failures }

/** Counts and names the items that failed at least three times in a row, and for at least five minutes. */
export function failingOf(entries: Iterable<ItemFailures>): Failing {
  const all = [...entries]
  const isFailing = ({ item, failures }: ItemFailures) =>
    (failures ?? 0) >= Math.max(minFailures, Math.ceil(minFailingMs / item.definition.intervalMs))
  const names = all.filter(isFailing).map(({ item }) => item.definition.name)
  const isSure = all.every((one) => one.failures === 0 || isFailing(one))
  return { failing: names.length, names, all: all.length, isSure }
}

/** Due times: `offsetMs` plus any multiple of `intervalMs`, on the wall clock. */
export type Schedule = { intervalMs: number; offsetMs: number }

/** Spreads items of the same interval over its seconds. A key has the same due times after each start. */
export function scheduleOf(key: string, intervalMs: number): Schedule {
  const seconds = Math.max(1, Math.floor(intervalMs / 1000))
  return { intervalMs, offsetMs: (Bun.hash.crc32(key) % seconds) * 1000 }
}

/** Latest due time at or before `nowMs`. */
export function lastDue({ intervalMs, offsetMs }: Schedule, nowMs: number): number {
  return Math.floor((nowMs - offsetMs) / intervalMs) * intervalMs + offsetMs
}

/** True if a due time is recent enough to run. After a clock jump or suspend, an item waits for its next due time. */
export function isTimely({ intervalMs }: Schedule, dueMs: number, nowMs: number): boolean {
  return nowMs - dueMs <= Math.min(5000, intervalMs / 2)
}

/**
 * Group of an item in the fair queue. Items whose last run took long to fail have their own group per organization, so that the
 * others do not wait for them.
 */
export function groupOf({ item, health: { status, lastDurationMs } }: { item: Item } & { health: Health }): string {
  const isSlow = status === 'down' && (lastDurationMs ?? 0) >= slowMs
  return `${item.definition.organizationId} ${isSlow ? 'slow' : 'quick'}`
}

const slowMs = 1000
