import type { SelectQueryBuilder } from 'kysely'

type Page = { page: number; pageSize: number }

/**
 * A page of the rows of a query, and the number of rows on all pages. The first page is 1. `select` adds columns, the joins for
 * them, and the order.
 */
export async function pageOf<Db, From extends keyof Db, Joined, JoinedFrom extends keyof Joined, Row>(
  listed: SelectQueryBuilder<Db, From, object>,
  page: Page,
  select: (listed: SelectQueryBuilder<Db, From, object>) => SelectQueryBuilder<Joined, JoinedFrom, Row>,
): Promise<{ rows: Row[]; total: number }> {
  return pageOfParts([listed], page, select)
}

/** Like `pageOf`, of queries whose rows follow each other. */
export async function pageOfParts<Db, From extends keyof Db, Joined, JoinedFrom extends keyof Joined, Row>(
  parts: SelectQueryBuilder<Db, From, object>[],
  { page, pageSize }: Page,
  select: (part: SelectQueryBuilder<Db, From, object>) => SelectQueryBuilder<Joined, JoinedFrom, Row>,
): Promise<{ rows: Row[]; total: number }> {
  const rows: Row[] = []
  let total = 0
  for (const part of parts) {
    const offset = Math.max(0, (page - 1) * pageSize - total)
    const missing = pageSize - rows.length
    if (missing > 0) rows.push(...((await select(part).limit(missing).offset(offset).execute()) as Row[]))
    total += await countOf(part)
  }
  return { rows, total }
}

/** Number of the rows of a query. */
export async function countOf<Db, From extends keyof Db>(
  listed: SelectQueryBuilder<Db, From, object>,
): Promise<number> {
  const counted = await listed.select((q) => q.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  return (counted as { total: number }).total
}
