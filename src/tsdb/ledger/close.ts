import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Database } from '../../db/open.ts'
import type { Metered } from '../metered.ts'
import type { Source } from '../source.ts'
import { floorTo } from './backfill-chunks.ts'
import { closedUntil } from './catch-up-store.ts'
import { measureLedger } from './measure-ledger.ts'
import { hoursKeptSeconds, type Slice, type Span } from './slice.ts'
import { putSlices, sumRanges } from './slice-store.ts'

const minute = 60
const hour = 3600
const day = 86_400
const hourLateSeconds = 180
const dayLateSeconds = 600
const minutesBackSeconds = 48 * hour
const mostByMinutesSeconds = 6 * hour
const mostSeconds = 5 * day

type Measure = typeof measureLedger
type Measured = Awaited<ReturnType<Measure>>
type Deps = { db: Database; source: Source; nowSeconds: number; measure: Measure }

/** One hour or day as its finer slices have it; `isSure`: nothing was missed between them. */
type Sum = Slice & { isSure: boolean }

/** `minutes` are written beside. */
type Draft = { one: Metered; minutes: Slice[]; sums: Sum[] }

/**
 * Writes the hours and days of these SLOs of one source that are over and not in the ledger, oldest first; a call does a
 * bounded part of them. An hour is the sum of its minutes, measured again for late samples, and a day that of its hours,
 * where they cover all of it for sure; else the source is asked for the whole, which sees across gaps and restarts.
 * Throws `source_unavailable`; an SLO whose query is refused stays as it is.
 */
export async function closeSlices(
  { db }: { db: Database },
  metered: Metered[],
  source: Source,
  nowSeconds: number,
  measure: Measure = measureLedger,
): Promise<void> {
  const deps = { db, source, nowSeconds, measure }
  const earliest = floorTo(nowSeconds, day) - hoursKeptSeconds
  const hoursEnd = floorTo(nowSeconds - hourLateSeconds, hour)
  const hoursFrom = await closedUntil(db.read, metered, hour, earliest)
  for (const [start, group] of dueByStart(metered, hoursFrom, hoursEnd)) await closeHours(deps, group, start, hoursEnd)

  const daysEnd = floorTo(nowSeconds - dayLateSeconds, day)
  const due = dueByStart(metered, await closedUntil(db.read, metered, day, earliest), daysEnd)
  if (due.size === 0) return
  const hoursUntil = await closedUntil(db.read, metered, hour, earliest)
  for (const [start, group] of due) {
    const closed = group.filter(({ slo }) => (hoursUntil.get(slo.id) ?? 0) >= start + day)
    if (closed.length > 0) await closeDay(deps, closed, start)
  }
}

function dueByStart(metered: Metered[], starts: Map<number, number>, endSeconds: number): Map<number, Metered[]> {
  const startOf = ({ slo }: Metered) => starts.get(slo.id) ?? endSeconds
  return Map.groupBy(
    metered.filter((one) => startOf(one) < endSeconds),
    startOf,
  )
}

async function closeHours(deps: Deps, group: Metered[], startSeconds: number, hoursEnd: number): Promise<void> {
  const minutesFrom = floorTo(deps.nowSeconds - minutesBackSeconds, hour) + hour
  const byMinutes = startSeconds >= minutesFrom
  const latest = byMinutes ? startSeconds + mostByMinutesSeconds : Math.min(startSeconds + mostSeconds, minutesFrom)
  const span: Span = { resolution: hour, startSeconds, endSeconds: Math.min(latest, hoursEnd) }
  const measured: Measured = byMinutes
    ? await deps.measure(deps.source, group, { ...span, resolution: minute })
    : new Map()
  const drafts = group.flatMap((one): Draft[] => {
    const said = measured.get(one.slo.id) ?? { slices: [], unsureFrom: null }
    if ('error' in said) return []
    const count = (span.endSeconds - startSeconds) / hour
    const sums = Array.from({ length: count }, (_, at) => sumOf(said, startSeconds + at * hour))
    return [{ one, minutes: said.slices, sums }]
  })
  await finish(deps, drafts, span)
}

async function closeDay(deps: Deps, group: Metered[], startSeconds: number): Promise<void> {
  const span: Span = { resolution: day, startSeconds, endSeconds: startSeconds + day }
  const hours = group.map(({ slo }) => ({ ...span, sloId: slo.id, revision: slo.revision, resolution: hour }) as const)
  const sums = await sumRanges(deps.db.read, hours)
  const drafts = group.flatMap((one, at): Draft[] => {
    const sum = sums[at]
    return sum ? [{ one, minutes: [], sums: [{ ...sum, startSeconds, isSure: true }] }] : []
  })
  await finish(deps, drafts, span)
}

/** The hour from `startSeconds` on, as its minutes have it. */
function sumOf({ slices, unsureFrom }: { slices: Slice[]; unsureFrom: number | null }, startSeconds: number): Sum {
  const covered = slices.filter(
    (slice) =>
      slice.startSeconds >= startSeconds && slice.startSeconds < startSeconds + hour && slice.coveredSeconds > 0,
  )
  const total = (of: (slice: Slice) => number) => covered.reduce((sum, slice) => sum + of(slice), 0)
  return {
    startSeconds,
    good: total(({ good }) => good),
    total: total((slice) => slice.total),
    coveredSeconds: total(({ coveredSeconds }) => coveredSeconds),
    leadGood: covered[0]?.leadGood ?? 0,
    leadTotal: covered[0]?.leadTotal ?? 0,
    isSure: unsureFrom === null || startSeconds + hour <= unsureFrom,
  }
}

/** Writes the sums, and what the source says of the whole in place of those that may lack something. */
async function finish({ db, source, measure }: Deps, drafts: Draft[], span: Span): Promise<void> {
  const isWhole = ({ isSure, coveredSeconds }: Sum) => isSure && coveredSeconds === span.resolution
  const open = drafts.filter(({ sums }) => !sums.every(isWhole))
  const asked = open.map(({ one }) => one)
  const measured: Measured = asked.length === 0 ? new Map() : await measure(source, asked, span)
  for (const draft of drafts) {
    const { slo } = draft.one
    const said = measured.get(slo.id)
    if (open.includes(draft) && (!said || 'error' in said)) continue
    const wholes = new Map(said && 'slices' in said ? said.slices.map((slice) => [slice.startSeconds, slice]) : [])
    const closed = draft.sums.map((sum) => (isWhole(sum) ? sum : better(sum, wholes.get(sum.startSeconds), span)))
    const whose = { sloId: slo.id, revision: slo.revision }
    await putSlices(db.write, [
      ...draft.minutes.map((slice) => ({ ...slice, ...whose, resolution: minute }) as const),
      ...closed.map((slice) => ({ ...slice, ...whose, resolution: span.resolution })),
    ])
    await nextTurn() // SQLite answers at once: without this, nothing else would be served until the last has been written
  }
}

/** What the source has forgotten stays as it was measured; minutes know better than an hour how much of it had data. */
function better(sum: Slice, whole: Slice | undefined, { resolution }: Span): Slice {
  if (!whole || whole.coveredSeconds === 0) return sum
  return resolution === hour && sum.coveredSeconds > 0 ? { ...whole, coveredSeconds: sum.coveredSeconds } : whole
}
