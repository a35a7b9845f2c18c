import { sql } from 'kysely'
import type { Db } from '../../db/open.ts'
import type { SloRow } from '../../db/tables/tables.ts'
import { hour, minute } from '../../ledger/bucket.ts'
import {
  finestKept,
  type LedgerWindow,
  sliOfSum,
  sumWindows,
  wholeBuckets,
  type Window,
} from '../../ledger/window-sums.ts'

const recentSteps = 4 // the one that has not ended, and hours that are not closed yet

type Measured = Pick<SloRow, 'id' | 'revision'>

/**
 * The SLI, 0..1, of each SLO in each of the steps, as `sliOfSum` has it, one SLO after the other; null: none is known. Most
 * steps of a day are an hour that is stored: those are read as they are, in one statement. The last ones, which are of minutes
 * alone, take another each. Only what is left is summed as any window is.
 */
export async function stepRatios(
  db: Db,
  slos: Measured[],
  steps: Window[],
  nowSeconds: number,
): Promise<(number | null)[]> {
  const ratios = await storedRatios(db, slos, steps)
  for (const [n, step] of [...steps.entries()].slice(-recentSteps)) {
    const lacking = slos.filter((_, place) => ratios[place * steps.length + n] === undefined)
    if (lacking.length < slos.length / 2 || !isOfMinutes(step, nowSeconds)) continue
    const ratioOf = await minuteRatios(db, lacking, step)
    for (const [place, { id }] of slos.entries()) {
      if (ratioOf.has(id)) ratios[place * steps.length + n] = ratioOf.get(id)
    }
  }
  const windows: LedgerWindow[] = []
  const cells: number[] = []
  for (let cell = ratios.indexOf(undefined); cell >= 0; cell = ratios.indexOf(undefined, cell + 1)) {
    const [slo, step] = [slos[Math.floor(cell / steps.length)], steps[cell % steps.length]]
    if (!slo || !step) continue
    const { startSeconds, endSeconds } = step
    windows.push({ sloId: slo.id, revision: slo.revision, startSeconds, endSeconds, isStep: true })
    cells.push(cell)
  }
  const sums = await sumWindows(db, windows, nowSeconds)
  sums.forEach((sum, at) => {
    const { startSeconds = 0, endSeconds = 0 } = windows[at] ?? {}
    ratios[cells[at] ?? 0] = sliOfSum(sum, endSeconds - startSeconds).ratio
  })
  return ratios.map((ratio) => ratio ?? null)
}

/** Likewise of the steps that are a whole hour that is stored; undefined elsewhere. The rule is that of `sliOfSum`. */
async function storedRatios(db: Db, slos: Measured[], steps: Window[]): Promise<(number | null | undefined)[]> {
  const ratios: (number | null | undefined)[] = Array.from({ length: slos.length * steps.length })
  const placesOf = new Map<number, number[]>() // of an hour: steps of minutes share it where only that is kept
  steps.forEach(({ startSeconds, endSeconds }, n) => {
    if (startSeconds % hour !== 0 || endSeconds !== startSeconds + hour) return
    placesOf.set(startSeconds / hour, [...(placesOf.get(startSeconds / hour) ?? []), n])
  })
  if (placesOf.size === 0) return ratios
  const first = Math.min(...placesOf.keys())
  const last = Math.max(...placesOf.keys())
  const hours = last - first + 1
  // Two columns: each costs as much as finding the row.
  const { rows } = await sql<{ cell: number; ratio: number | null }>`
    select slo_id * ${hours} + start / 3600 - ${first} as cell,
      iif(covered_seconds * 2 >= 3600 and total > 0, min(1.0, max(0.0, good) / total), null) as ratio
    from json_each(${keysOf(slos)}) as measured
    cross join buckets on slo_id = cast(measured.key as integer) and revision = measured.value and resolution = 3600
      and start between ${first * hour} and ${last * hour}`.execute(db)
  const placeOf = new Map(slos.map(({ id }, place) => [id, place]))
  for (const { cell, ratio } of rows) {
    const ofSlo = (placeOf.get(Math.floor(cell / hours)) ?? 0) * steps.length
    for (const n of placesOf.get(first + (cell % hours)) ?? []) ratios[ofSlo + n] = ratio
  }
  return ratios
}

/** Whether the ledger has nothing coarser than minutes for it, where it has no such hour, and all of these. */
function isOfMinutes({ startSeconds, endSeconds }: Window, nowSeconds: number): boolean {
  const isOneHour = startSeconds % hour === 0 && endSeconds === startSeconds + hour
  const hasHour = !isOneHour && wholeBuckets({ startSeconds, endSeconds }, hour) !== null
  return startSeconds < endSeconds && !hasHour && finestKept(startSeconds, nowSeconds) === minute
}

/** By the id of the SLO. The rule is that of `sliOfSum`. */
async function minuteRatios(db: Db, slos: Measured[], { startSeconds, endSeconds }: Window) {
  const { rows } = await sql<{ id: number; ratio: number | null }>`
    select cast(measured.key as integer) as id, iif(sum(covered_seconds) * 2 >= ${endSeconds - startSeconds} and sum(total) > 0,
      min(1.0, max(0.0, sum(good)) / sum(total)), null) as ratio
    from json_each(${keysOf(slos)}) as measured
    left join buckets on slo_id = cast(measured.key as integer) and revision = measured.value and resolution = 60
      and start >= ${startSeconds} and start < ${endSeconds}
    group by measured.rowid`.execute(db)
  return new Map(rows.map(({ id, ratio }) => [id, ratio]))
}

/** Revisions by id: `json_each` gives both without reading JSON again. */
function keysOf(slos: Measured[]): string {
  return JSON.stringify(Object.fromEntries(slos.map(({ id, revision }) => [id, revision])))
}
