import type { Generated } from 'kysely'
import type { BackfillStatus, Once, SloEvent } from './enums.ts'
import type { Status } from '../../slos/arithmetic/budget.ts'

/** Tables of SLO definitions over time, and of their measurements. */
export type MeasurementTables = {
  slo_revisions: { slo_id: Once<number>; revision: Once<number>; definition: Once<string>; created_at: Once<number> }
  slo_changes: {
    id: Generated<number>
    slo_id: Once<number>
    event: Once<SloEvent>
    revision: Once<number>
    fields: Once<string>
    changed_by: number | null
    changed_at: Once<number>
  }
  buckets: {
    slo_id: Once<number>
    revision: Once<number>
    resolution: Once<number>
    start: Once<number>
    good: number
    total: number
    covered_seconds: number
    lead_good: number
    lead_total: number
  }
  checkpoints: {
    slo_id: Once<number>
    origin: string
    end_at: number
    counted: number
    total: number
    left_until: number
    left_counted: number
    left_total: number
    invalidated_by: string | null
  }
  slo_states: {
    slo_id: Once<number>
    organization_id: Once<number>
    revision: number
    status: Status
    reason: string | null
    message: string | null
    evaluated_at: number
    measured_at: number | null
    current_value: number | null
    own_value: number | null
    budget_used: number | null
    good_events: number | null
    total_events: number | null
    current_coverage: number | null
    own_coverage: number | null
    burn_rates: string
  }
  evaluations: {
    slo_id: Once<number>
    at: Once<number>
    revision: number
    status: Status
    reason: string | null
    current_value: number | null
    own_value: number | null
    budget_used: number | null
    burn_rates: string
    resolution: number
    rolled_up: number
    worst_status: Status
    lowest_value: number | null
    message: string | null
    duration_ms: number | null
  }
  backfills: {
    slo_id: Once<number>
    organization_id: Once<number>
    revision: number
    status: BackfillStatus
    ends_at: number
    chunks: number
    chunks_done: number
    buckets: number
    error: string | null
    created_at: number
    updated_at: number
  }
}
