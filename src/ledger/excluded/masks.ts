import type { CooperativeTask } from '../../concurrency/cooperative.ts'
import type { Database, Db } from '../../db/open.ts'
import { createExclusion, type Exclusion } from '../../slos/corrections/rules.ts'
import { clipTo, type TimeSpan, unionOf } from '../../slos/corrections/spans.ts'
import { day, floorTo } from '../bucket.ts'

type Mask = { text: string; exclusion: Exclusion; days: Map<number, TimeSpan[]> }
type Applied = { mask: Mask; atMs: number }

const maxDays = 2000

/**
 * Exclusion rules by SLO that the ledger was last written with (table `slo_exclusions`). SLOs with the same rules share the excluded
 * times, which are computed once for each day.
 */
export class Masks {
  readonly #bySlo = new Map<number, Applied>()
  readonly #byText = new Map<string, Mask>()

  get isEmpty(): boolean {
    return this.#bySlo.size === 0
  }

  /** Rules of an SLO as stored; null: it has none. */
  textOf(sloId: number): string | null {
    return this.#bySlo.get(sloId)?.mask.text ?? null
  }

  sloIds(): number[] {
    return [...this.#bySlo.keys()]
  }

  /** Time at which the rules of an SLO were applied; null: it has none. */
  appliedAtMs(sloId: number): number | null {
    return this.#bySlo.get(sloId)?.atMs ?? null
  }

  /** Sets the rules of an SLO; null: none. To be called in the transaction that stores them. */
  set(sloId: number, text: string | null, atMs: number): void {
    if (text === null) this.#bySlo.delete(sloId)
    else this.#bySlo.set(sloId, { mask: this.#maskOf(text), atMs })
    if (this.#byText.size > 2 * this.#bySlo.size + 100) this.#byText.clear()
  }

  /** Excluded times of an SLO inside a window, oldest first. */
  spansOf(sloId: number, window: TimeSpan): TimeSpan[] {
    const applied = this.#bySlo.get(sloId)
    return applied ? spansOfMask(applied.mask, window) : []
  }

  /** Computes what the rules of `text` exclude inside a window, so that no later call for it takes long. */
  *warming(text: string | null, window: TimeSpan): CooperativeTask<void> {
    if (text === null) return
    const mask = this.#maskOf(text)
    for (let start = floorTo(window.startSeconds, day); start < window.endSeconds; start += day) {
      spansOfDay(mask, start)
      yield
    }
  }

  /** Times inside a window that the rules of `text` exclude; they need not be the present rules of an SLO. */
  spansBy(text: string | null, window: TimeSpan): TimeSpan[] {
    return text === null ? [] : spansOfMask(this.#maskOf(text), window)
  }

  #maskOf(text: string): Mask {
    return this.#byText.getOrInsertComputed(text, () => ({
      text,
      exclusion: createExclusion(JSON.parse(text)),
      days: new Map(),
    }))
  }
}

function spansOfMask(mask: Mask, window: TimeSpan): TimeSpan[] {
  const spans: TimeSpan[] = []
  for (let start = floorTo(window.startSeconds, day); start < window.endSeconds; start += day) {
    spans.push(...spansOfDay(mask, start))
  }
  return clipTo(unionOf(spans), window)
}

function spansOfDay({ exclusion, days }: Mask, startSeconds: number): TimeSpan[] {
  if (days.size >= maxDays) days.clear()
  return days.getOrInsertComputed(startSeconds, () => exclusion({ startSeconds, endSeconds: startSeconds + day }))
}

const masks = new WeakMap<object, Promise<Masks>>()

/** Returns the masks of a database, the same at each call; they are read at the first one. */
export function masksOf(db: Pick<Database, 'read' | 'write'>): Promise<Masks> {
  const known = masks.get(db)
  if (known) return known
  const reading = readMasks(db.read)
  masks.set(db, reading)
  reading.catch(() => masks.delete(db)) // the next call tries again
  return reading
}

/** Makes the next call of `masksOf` read the masks again, after a transaction that has failed. */
export function invalidateMasks(db: Pick<Database, 'read' | 'write'>): void {
  masks.delete(db)
}

async function readMasks(db: Db): Promise<Masks> {
  const loaded = new Masks()
  const rows = await db.selectFrom('slo_exclusions').selectAll().execute()
  for (const { slo_id, rules, applied_at } of rows) loaded.set(slo_id, rules, applied_at)
  return loaded
}
