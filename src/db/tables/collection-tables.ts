import type { Generated } from 'kysely'
import type { Flag, InsertOnly, ProbeType } from './enums.ts'

/** Tables of the embedded source's scrape targets and probes. */
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
}
