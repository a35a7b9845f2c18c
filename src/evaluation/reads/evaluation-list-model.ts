import { type Static, t } from 'elysia'
import { isoTime } from '../../clock.ts'
import type { EvaluationRow } from '../../db/tables/tables.ts'
import { PageFields, PageQuery } from '../../http/paging.ts'
import { OneOf } from '../../http/schemas.ts'
import { WindowBudgetFields } from '../../sli/model.ts'
import { windowBudget } from '../../slos/arithmetic/budget.ts'

const Status = OneOf(['healthy', 'warning', 'critical', 'unknown'])
const MaybeNumber = t.Nullable(t.Number())

export const EvaluationListQuery = t.Object({ ...PageQuery, failed: t.Optional(OneOf(['true', 'false'])) })

const ListedEvaluation = t.Object({
  evaluated_at: t.String({ description: 'the end of its windows' }),
  status: Status,
  reason: t.Nullable(t.String()),
  message: t.Nullable(t.String({ description: 'why nothing, or not everything, was measured' })),
  sli: MaybeNumber,
  percentage_used: MaybeNumber,
  window_percent_used: WindowBudgetFields.window_percent_used,
  revision: t.Number(),
  duration_ms: t.Nullable(
    t.Number({ description: 'of the evaluation of all SLOs that shared its queries; null: not known' }),
  ),
  count: t.Number({ description: 'how many evaluations it stands for; its values are those of the last of them' }),
  worst_status: Status,
})

export const EvaluationList = t.Object(
  { evaluations: t.Array(ListedEvaluation), ...PageFields },
  { title: 'EvaluationList' },
)

/** Presents an evaluation of an SLO with this target, in percent. */
export function presentEvaluation(row: EvaluationRow, targetPercent: number): Static<typeof ListedEvaluation> {
  const { status, reason, message, revision, duration_ms, worst_status, window_share: windowShare } = row
  const { usedPercent } = windowBudget(row.budget_used, targetPercent, { windowShare, countsEvents: false })
  return {
    evaluated_at: isoTime(row.at * 1000),
    status,
    reason,
    message,
    sli: row.own_value,
    percentage_used: row.budget_used,
    window_percent_used: usedPercent,
    revision,
    duration_ms,
    count: row.rolled_up,
    worst_status,
  }
}
