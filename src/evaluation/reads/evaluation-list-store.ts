import { pageOf } from '../../db/page-of.ts'
import type { Db } from '../../db/open.ts'
import type { EvaluationRow } from '../../db/tables/tables.ts'
import type { Page } from '../../http/paging.ts'

/** Lists one page of an SLO's evaluations, newest first, and counts all of them; `failed`: only those without an answer. */
export async function listEvaluations(
  db: Db,
  sloId: number,
  { failed, ...page }: Page & { failed: boolean },
): Promise<{ rows: EvaluationRow[]; total: number }> {
  let listed = db.selectFrom('evaluations').where('slo_id', '=', sloId)
  if (failed) listed = listed.where('reason', '=', 'source_error')
  return pageOf(listed, page, (evaluations) => evaluations.selectAll().orderBy('at', 'desc'))
}
