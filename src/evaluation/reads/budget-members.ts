import type { Db } from '../../db/open.ts'
import type { Planner } from '../../sli/plan/planner.ts'
import { finestStoredResolution, type LedgerWindow } from '../../ledger/window-spans.ts'
import { sumWindows } from '../../ledger/window-sums.ts'
import { combineSums, failureShares, type MemberSum } from '../../slos/arithmetic/composite.ts'
import { round10 } from '../../slos/arithmetic/budget.ts'
import type { OwnWindow } from '../../slos/arithmetic/own-window.ts'
import type { SloRow } from '../../db/tables/tables.ts'
import { findMembers } from '../measure-composites.ts'

const resolutionNames = { 60: '1m', 3600: '1h', 86400: '1d' } as const

/** Members of a composite over its own window, with their shares of its failures; null: the SLO is measured by queries. */
export async function readMembers(
  { db, planner }: { db: { read: Db }; planner: Planner },
  slo: SloRow,
  { startSeconds, endSeconds }: OwnWindow,
  nowSeconds: number,
) {
  const planned = planner.plan(slo)
  const { composite } = planned.plan
  if (!composite) return null
  const members = (await findMembers({ db, planner }, [planned])).get(slo.id) ?? []
  const windows = members.flatMap(({ slo: member }): LedgerWindow[] => {
    return member ? [{ sloId: member.id, revision: member.revision, startSeconds, endSeconds }] : []
  })
  const read = (await sumWindows(db.read, windows, nowSeconds)).values()
  const sums = members.map((one): MemberSum => (one.slo ? (read.next().value ?? null) : null))
  const shares = failureShares(composite, sums)
  return {
    method: composite.method,
    on_unknown_member: composite.on_unknown_member,
    resolution: resolutionNames[finestStoredResolution(startSeconds, nowSeconds)],
    is_known: combineSums(composite, sums).coveredSeconds > 0,
    members: members.map(({ sloId, name, weight, problem }, place) => {
      const { good = 0, total = 0, coveredSeconds = 0 } = sums[place] ?? {}
      const share = shares[place] ?? null
      return {
        slo_id: sloId,
        name,
        weight,
        sli: coveredSeconds > 0 && total > 0 ? round10(100 * Math.min(1, Math.max(0, good / total))) : null,
        coverage: round10(Math.min(1, coveredSeconds / (endSeconds - startSeconds))),
        share_of_used_percent: share === null ? null : round10(100 * share),
        problem: problem ?? (coveredSeconds > 0 ? null : 'has no data'),
      }
    }),
  }
}
