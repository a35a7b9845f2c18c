import type { Generated } from 'kysely'
import type { Flag, HeartbeatReport, InsertOnly, ProbeType, RunOutcome } from './enums.ts'

/** Tables of the embedded source's scrape targets, probes and heartbeats, and of certificates. */
export type CollectionTables = {
  scrape_targets: {
    id: Generated<number>
    organization_id: InsertOnly<number>
    name: string
    url: string
    interval_seconds: number
    timeout_seconds: number
    labels: string
    honor_labels: Flag
    sealed_auth: string | null
    is_active: Flag
    created_at: InsertOnly<number>
    updated_at: number
  }
  probes: {
    id: Generated<number>
    organization_id: InsertOnly<number>
    name: string
    type: InsertOnly<ProbeType>
    target: string
    interval_seconds: number
    timeout_seconds: number
    labels: string
    confirm: Flag
    down_after: number
    sealed_settings: string
    is_active: Flag
    created_at: InsertOnly<number>
    updated_at: number
  }
  certificates: {
    id: Generated<number>
    organization_id: InsertOnly<number>
    probe_id: InsertOnly<number | null>
    source_id: InsertOnly<number | null>
    channel_id: InsertOnly<number | null>
    server: string
    fingerprint: string
    issuer: string
    names: string
    starts_at: number
    expires_at: number
    seen_at: number
    previous_fingerprint: string | null
    replaced_at: number | null
  }
  heartbeats: {
    id: Generated<number>
    organization_id: InsertOnly<number>
    name: string
    slug: string
    period_seconds: number | null
    cron: string | null
    time_zone: string | null
    grace_seconds: number
    labels: string
    is_active: Flag
    token_hash: string
    sealed_token: string
    due_at: Generated<number | null>
    runs: Generated<number>
    good_runs: Generated<number>
    last_outcome: Generated<RunOutcome | null>
    since: Generated<number | null>
    reason: Generated<string | null>
    last_success_at: Generated<number | null>
    last_duration_ms: Generated<number | null>
    starts: Generated<string>
    created_at: InsertOnly<number>
    updated_at: number
  }
  heartbeat_runs: {
    id: Generated<number>
    heartbeat_id: InsertOnly<number>
    at: InsertOnly<number>
    due_at: InsertOnly<number | null>
    outcome: InsertOnly<RunOutcome | null>
    report: InsertOnly<HeartbeatReport | null>
    started_at: InsertOnly<number | null>
    duration_ms: InsertOnly<number | null>
    exit_code: InsertOnly<number | null>
    message: InsertOnly<string | null>
  }
  ping_keys: { organization_id: InsertOnly<number>; key_hash: string; created_at: number }
}
