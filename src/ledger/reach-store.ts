import { sql } from 'kysely'
import type { Db } from '../db/open.ts'
import { prepared } from '../db/statements/prepared.ts'
import type { BackfillStatus } from '../db/tables/enums.ts'
import type { Reach } from '../slos/arithmetic/reach.ts'
import { filledFrom } from './backfill/steps.ts'
import { findComposites, keyOf, type MaybeComposite } from './composite-store.ts'
import { combineReaches } from './composite-sums.ts'
import { day, floorTo, hour, minute } from './bucket.ts'
import { firstMeasuredSeconds, type SloRevision } from './ledger-store.ts'
import type { LedgerCache } from './memory/ledger-cache.ts'

/**
 * Reads the `Reach` (first data in the ledger) of each SLO, in the order of the SLOs. What `memory` has is not read again; a backfill
 * that writes to an SLO removes it there.
 */
export async function listReaches(
  db: Db,
  measured: MaybeComposite[],
  atSeconds: number,
  memory?: LedgerCache,
): Promise<Reach[]> {
  const composites = await findComposites(db, measured)
  if (composites.size === 0) return listStoredReaches(db, measured, atSeconds, memory)
  const membersOf = measured.map((one) => composites.get(keyOf(one))?.members.filter((member) => member !== null))
  const expanded = measured.flatMap((one, place) => membersOf[place] ?? [one])
  const reaches = (await listStoredReaches(db, expanded, atSeconds, memory)).values()
  return membersOf.map((members) => {
    const next = () => reaches.next().value ?? noReach
    return members ? combineReaches(members.map(next)) : next()
  })
}

async function listStoredReaches(
  db: Db,
  measured: SloRevision[],
  atSeconds: number,
  memory?: LedgerCache,
): Promise<Reach[]> {
  const cached = measured.map((one) => memory?.find(one, atSeconds))
  const unknown = measured.filter((_, place) => !cached[place]?.reach)
  const keys = JSON.stringify(unknown.map(({ sloId, revision }) => [sloId, revision]))
  const rows = unknown.length > 0 ? (await readFirstTimes(db, { keys })).rows : []
  const read = rows.values()
  return cached.map((entry) => {
    if (entry?.reach) return entry.reach
    const row = read.next().value
    const reach = row ? reachOf(row) : noReach
    if (entry && reach.firstSeconds !== null && !reach.isFilling) entry.reach = reach
    return reach
  })
}

const noReach: Reach = { firstSeconds: null, completeFromSeconds: Infinity, isFilling: false }

/** Starts of the first buckets with data in Unix seconds; `stored`: first sample by the state of the SLO, in ms. */
type FirstTimes = {
  stored: number | null
  minute: number | null
  hour: number | null
  day: number | null
  status: BackfillStatus | null
  isPastKnown: number | null
  endsAt: number | null
  chunksDone: number | null
}

function reachOf(row: FirstTimes): Reach {
  // An hour or a day begins before its first minute, and stays when its minutes are deleted.
  const finest = finestOf(row.stored === null ? null : row.stored / 1000, row.minute)
  const firstSeconds = earlierOf(earlierOf(finest, row.hour, hour), row.day, day)
  if (row.status === 'done' || row.isPastKnown === 1)
    return { firstSeconds, completeFromSeconds: -Infinity, isFilling: false }
  const isFilling = row.status === 'waiting' || row.status === 'running'
  if (row.endsAt === null || row.chunksDone === null) return { ...noReach, firstSeconds }
  const measuredFrom = row.endsAt - firstMeasuredSeconds
  return {
    firstSeconds,
    completeFromSeconds: Math.min(measuredFrom, filledFrom(row.endsAt, row.chunksDone)),
    isFilling,
  }
}

/** The earlier of both; within the same minute the one from the ledger, which may have been measured again since. */
function finestOf(stored: number | null, inLedger: number | null): number | null {
  if (stored === null || inLedger === null) return stored ?? inLedger
  return floorTo(stored, minute) < floorTo(inLedger, minute) ? stored : inLedger
}

/** The known first second; or the start of a longer bucket, if that begins before the one that contains this second. */
function earlierOf(known: number | null, start: number | null, resolution: number): number | null {
  return known === null || (start !== null && start < floorTo(known, resolution)) ? start : known
}

const first = (resolution: number) => sql`(
  select min(start) from buckets where slo_id = key.value->>0 and revision = key.value->>1
    and resolution = ${sql.lit(resolution)} and covered_seconds > 0
)`

/** Start of the covered part of the first minute: data that begins within a minute covers the end of that minute. */
const firstMinute = sql`(
  select start + ${sql.lit(minute)} - min(covered_seconds, ${sql.lit(minute)}) from buckets
  where slo_id = key.value->>0 and revision = key.value->>1 and resolution = ${sql.lit(minute)} and covered_seconds > 0
  order by start limit 1
)`

const readFirstTimes = prepared<{ keys: string }, FirstTimes>(
  ({ keys }) => sql`
    select
      (select first_sample_at from slo_states where slo_id = key.value->>0 and revision = key.value->>1) as stored,
      ${firstMinute} as minute, ${first(hour)} as hour, ${first(day)} as day,
      backfills.status, backfills.is_past_known as "isPastKnown", backfills.ends_at as "endsAt", backfills.chunks_done as "chunksDone"
    from json_each(${keys}) as key
    left join backfills on backfills.slo_id = key.value->>0 and backfills.revision = key.value->>1
    order by key.key`,
)
