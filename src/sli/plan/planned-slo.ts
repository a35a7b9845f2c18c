import type { SloRow } from '../../db/tables/tables.ts'
import type { SliPlan } from './plan.ts'

/** An SLO and how it is measured: planned once for many measurements. */
export type PlannedSlo = { slo: SloRow; plan: SliPlan }
