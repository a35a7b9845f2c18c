import type { Db } from '../db/open.ts'
import { combineSums } from '../slos/arithmetic/composite.ts'
import type { Bucket, Resolution } from './bucket.ts'
import { findComposites, keyOf, type StoredComposite } from './composite-store.ts'
import { type BucketRange, type BucketSum, listBuckets, type SloRevision } from './ledger-store.ts'

/** Lists the buckets of a range, oldest first; those of a composite are computed from the buckets of its members. */
export async function listBucketsOf(db: Db, range: BucketRange): Promise<Bucket[]> {
  const stored = (await findComposites(db, [range])).get(keyOf(range))
  if (!stored) return listBuckets(db, range)
  const lists = await Promise.all(
    stored.members.map((member) => (member ? listBuckets(db, { ...range, ...member }) : null)),
  )
  return combineBuckets(stored, lists, range.resolution).map((sum) => ({ ...sum, leadGood: 0, leadTotal: 0 }))
}

/**
 * Lists buckets of SLOs with `list`; those of the composites among them, which `findComposites` found, are combined from the buckets of
 * their members. `resolution`: length of buckets that are closed one after the other, so that the last one of a member may be missing;
 * null: all that is there counts.
 */
export async function listWithComposites<Asked extends SloRevision & { fromSeconds: number }>(
  composites: ReadonlyMap<string, StoredComposite>,
  asked: Asked[],
  resolution: Resolution | null,
  list: (asked: Asked[]) => Promise<BucketSum[]>,
): Promise<BucketSum[]> {
  if (composites.size === 0) return list(asked)
  const composed = asked.flatMap((one) => {
    const stored = composites.get(keyOf(one))
    return stored ? [{ one, stored }] : []
  })
  const members = new Map<number, Asked>()
  for (const { one, stored } of composed) {
    for (const member of stored.members) {
      if (!member) continue
      const fromSeconds = Math.min(one.fromSeconds, members.get(member.sloId)?.fromSeconds ?? Infinity)
      members.set(member.sloId, { ...one, ...member, fromSeconds })
    }
  }
  const plain = await list(asked.filter((one) => !composites.has(keyOf(one))))
  const rows = Map.groupBy(members.size > 0 ? await list([...members.values()]) : [], ({ sloId }) => sloId)
  const combined = composed.flatMap(({ one, stored }) => {
    const isAsked = ({ startSeconds }: BucketSum) => startSeconds >= one.fromSeconds
    const lists = stored.members.map((member) => member && (rows.get(member.sloId) ?? []).filter(isAsked))
    return combineBuckets(stored, lists, resolution).map((sum) => ({ ...sum, sloId: one.sloId }))
  })
  return [...plain, ...combined]
}

type Listed = Omit<BucketSum, 'sloId'>

/** Combines buckets that begin at the same time, oldest first. A time whose bucket a member is about to close is left out. */
function combineBuckets(
  { composite, members }: StoredComposite,
  lists: readonly (readonly Listed[] | null)[],
  resolution: Resolution | null,
): Listed[] {
  const byStart = lists.map((list) => new Map(list?.map((one) => [one.startSeconds, one])))
  const lastOf = byStart.map((starts) => Math.max(...starts.keys()))
  const starts = [...new Set(byStart.flatMap((one) => [...one.keys()]))].toSorted((a, b) => a - b)
  const isPending = (start: number) => resolution !== null && lastOf.some((last) => last === start - resolution)
  return starts
    .filter((start) => !isPending(start))
    .map((startSeconds) => {
      const sums = members.map((member, place) => (member ? (byStart[place]?.get(startSeconds) ?? nothing) : null))
      return { startSeconds, ...combineSums(composite, sums) }
    })
}

const nothing = { good: 0, total: 0, coveredSeconds: 0 }
