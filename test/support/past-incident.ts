import { evaluated, measured, startSeconds } from '../sli/ledger-fixtures.ts'
import type { TestApp } from './app.ts'

/** Stores ten minutes with failures, starting half an hour before `startSeconds`. Returns the key of the incident. */
export async function addIncident(nines: TestApp, organizationId: number, sloId: number): Promise<number> {
  const [from, to] = [-1800, -1200]
  await measured(nines, { sloId, resolution: 60, from, to }, { good: 50, total: 60 })
  await evaluated(nines, sloId, { organizationId, budgetUsed: 10 })
  return startSeconds + from
}
