import { sql } from 'kysely'
import type { Db } from '../db/open.ts'
import type { PlannedSlo } from '../sli/plan/planned-slo.ts'

const openSeconds = 120 // the last two minutes: late samples still come
const firstSeconds = 3600 // what the burn rates of a new SLO begin with
const maxSeconds = 2 * 3600 // what is older is measured when its hour is closed

/**
 * From where to measure each SLO's minutes up to the whole minute `untilSeconds`, in Unix seconds by SLO id: from the end
 * of those it has, the last two again, at least three minutes and at most two hours. An SLO without any begins with an hour.
 */
export async function minutesToMeasure(
  db: Db,
  planned: PlannedSlo[],
  untilSeconds: number,
): Promise<Map<number, number>> {
  const { rows } = await sql<{ sloId: number; measuredUntil: number | null }>`
    select value->>0 as "sloId",
      (
        select max(start) + 60 from buckets
        where slo_id = value->>0 and revision = value->>1 and resolution = 60 and start < ${untilSeconds}
      ) as "measuredUntil"
    from json_each(${keysOf(planned)})`.execute(db)
  const latest = untilSeconds - openSeconds - 60
  const earliest = untilSeconds - maxSeconds
  return new Map(
    rows.map(({ sloId, measuredUntil }) => {
      const reopened = measuredUntil === null ? untilSeconds - firstSeconds : measuredUntil - openSeconds
      return [sloId, Math.min(latest, Math.max(earliest, reopened))]
    }),
  )
}

/**
 * Up to where each SLO's buckets of an hour or a day are there, in Unix seconds by SLO id. They are closed in order, from
 * where its backfill ends (or its minutes begin, where it has none), at most from `earliestSeconds` on, which begins a
 * bucket. An SLO that has not begun to be measured is left out. What lies beyond `nowSeconds` was written while the clock was
 * wrong, and ends nothing.
 */
export async function closedUntil(
  db: Db,
  planned: PlannedSlo[],
  resolution: 3600 | 86_400,
  earliestSeconds: number,
  nowSeconds: number,
): Promise<Map<number, number>> {
  const { rows } = await sql<{ sloId: number; closed: number }>`
    with begun as (
      select value->>0 as slo_id, value->>1 as revision, coalesce(
        (select ends_at from backfills where slo_id = value->>0 and revision = value->>1),
        (select min(start) from buckets where slo_id = value->>0 and revision = value->>1 and resolution = 60)
      ) as at
      from json_each(${keysOf(planned)})
    ), since as (
      select slo_id, revision, max(${earliestSeconds}, at - at % ${resolution}) as first from begun where at is not null
    )
    select slo_id as "sloId", coalesce(
      (
        select max(start) + ${resolution} from buckets
        where buckets.slo_id = since.slo_id and buckets.revision = since.revision
          and resolution = ${resolution} and start >= first and start + ${resolution} <= ${nowSeconds}
      ),
      first
    ) as closed
    from since`.execute(db)
  return new Map(rows.map(({ sloId, closed }) => [sloId, closed]))
}

function keysOf(planned: PlannedSlo[]): string {
  return JSON.stringify(planned.map(({ slo }) => [slo.id, slo.revision]))
}
