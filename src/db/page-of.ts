import type { SelectQueryBuilder } from 'kysely'

/**
 * A page of the rows of a query, and the number of rows on all pages. The first page is 1. `select` adds columns, the joins for
 * them, and the order.
 */
export async function pageOf<Db, From extends keyof Db, Joined, JoinedFrom extends keyof Joined, Row>(
  listed: SelectQueryBuilder<Db, From, object>,
  { page, pageSize }: { page: number; pageSize: number },
  select: (listed: SelectQueryBuilder<Db, From, object>) => SelectQueryBuilder<Joined, JoinedFrom, Row>,
): Promise<{ rows: Row[]; total: number }> {
  const total = await countOf(listed)
  const rows = await select(listed)
    .limit(pageSize)
    .offset((page - 1) * pageSize)
    .execute()
  return { rows: rows as Row[], total }
}

/** Number of the rows of a query. */
export async function countOf<Db, From extends keyof Db>(
  listed: SelectQueryBuilder<Db, From, object>,
): Promise<number> {
  const counted = await listed.select((q) => q.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  return (counted as { total: number }).total
}
