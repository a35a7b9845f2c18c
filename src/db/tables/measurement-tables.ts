import type { Generated } from 'kysely'
import type { BackfillStatus, CorrectionCategory, Flag, InsertOnly, SloEvent } from './enums.ts'
import type { Status } from '../../slos/arithmetic/budget.ts'
import type { CalendarWindow } from '../../slos/arithmetic/windows.ts'
import type { SloState } from '../../slos/arithmetic/state.ts'

/** Tables of SLO definitions over time, and of their measurements. */
export type MeasurementTables = {
  slo_revisions: {
    slo_id: InsertOnly<number>
    revision: InsertOnly<number>
    definition: InsertOnly<string>
    created_at: InsertOnly<number>
  }
  slo_periods: {
    slo_id: InsertOnly<number>
    ends_at: InsertOnly<number>
    starts_at: InsertOnly<number>
    time_window: InsertOnly<CalendarWindow>
    time_zone: InsertOnly<string>
    target: InsertOnly<number>
    revision: InsertOnly<number>
    sli: number | null
    good_events: number | null
    total_events: number | null
    counted_good: number | null
    counted_total: number | null
    excluded_good: Generated<number>
    excluded_total: Generated<number>
    excluded_seconds: Generated<number>
    note: string | null
    frozen_at: InsertOnly<number>
    recomputed_at: number | null
  }
  slo_changes: {
    id: Generated<number>
    slo_id: InsertOnly<number>
    event: InsertOnly<SloEvent>
    revision: InsertOnly<number>
    fields: InsertOnly<string>
    changed_by: number | null
    changed_at: InsertOnly<number>
  }
  buckets: {
    slo_id: InsertOnly<number>
    revision: InsertOnly<number>
    resolution: InsertOnly<number>
    start: InsertOnly<number>
    good: number
    total: number
    covered_seconds: number
    lead_good: number
    lead_total: number
  }
  corrections: {
    id: Generated<number>
    organization_id: InsertOnly<number>
    slo_ids: string | null
    team_id: number | null
    labels: string | null
    starts_at: number
    ends_at: number | null
    rrule: string | null
    duration_seconds: number | null
    time_zone: string | null
    category: CorrectionCategory
    text: string
    silence_id: number | null
    created_by: number | null
    created_at: InsertOnly<number>
    updated_at: number
  }
  calendar_feeds: { organization_id: InsertOnly<number>; secret_hash: string; created_at: number }
  slo_exclusions: { slo_id: InsertOnly<number>; rules: string; applied_at: number }
  excluded_buckets: {
    slo_id: InsertOnly<number>
    revision: InsertOnly<number>
    resolution: InsertOnly<number>
    start: InsertOnly<number>
    good: number
    total: number
    covered_seconds: number
    lead_good: number
    lead_total: number
    excluded_good: number
    excluded_total: number
    excluded_seconds: number
    is_finest: Flag
    is_estimated: Flag
  }
  checkpoints: {
    slo_id: InsertOnly<number>
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
    slo_id: InsertOnly<number>
    organization_id: InsertOnly<number>
    revision: number
    status: Status
    reason: string | null
    message: string | null
    evaluated_at: number
    measured_at: number | null
    current_value: number | null
    own_value: number | null
    budget_used: number | null
    window_share: number | null
    first_sample_at: number | null
    good_events: number | null
    total_events: number | null
    current_coverage: number | null
    own_coverage: number | null
    running_seconds: Generated<number>
    running_good: Generated<number>
    running_total: Generated<number>
    burn_rates: string
    burn_rate_now: number | null
    state: Generated<SloState>
    state_since: number | null
    state_reason: string | null
  }
  evaluations: {
    slo_id: InsertOnly<number>
    at: InsertOnly<number>
    revision: number
    status: Status
    reason: string | null
    current_value: number | null
    own_value: number | null
    budget_used: number | null
    window_share: number | null
    burn_rates: string
    resolution: number
    rolled_up: number
    worst_status: Status
    lowest_value: number | null
    message: string | null
    duration_ms: number | null
  }
  backfills: {
    slo_id: InsertOnly<number>
    organization_id: InsertOnly<number>
    revision: number
    status: BackfillStatus
    ends_at: number
    chunks: number
    chunks_done: number
    buckets: number
    error: string | null
    is_past_known: number
    created_at: number
    updated_at: number
  }
}
