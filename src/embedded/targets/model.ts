import { type Static, t } from 'elysia'
import { isoTime } from '../../clock.ts'
import type { Seal } from '../../db/sealing/seal.ts'
import type { ScrapeTargetRow } from '../../db/tables/tables.ts'
import { EndpointAuth, maskAuth, unsealAuth } from '../../http/endpoint-auth.ts'
import { collectedFields, presentHealth, ScrapeUrl, presentedFields } from '../collection/fields-model.ts'
import { parseSeriesLabels } from '../collection/fields.ts'
import type { Health } from '../collection/item.ts'

const fields = {
  ...collectedFields,
  url: ScrapeUrl,
  honor_labels: t.Optional(t.Boolean({ description: 'true or false' })),
  auth: t.Optional(t.Nullable(EndpointAuth)),
}

export const TargetCreation = t.Object(fields, {
  title: 'TargetCreation',
  examples: [{ name: 'node', url: 'http://127.0.0.1:9100/metrics', interval_seconds: 15, labels: { rack: 'b' } }],
})

export const TargetUpdate = t.Object(
  { ...fields, name: t.Optional(fields.name), url: t.Optional(fields.url) },
  { title: 'TargetUpdate', examples: [{ interval_seconds: 60 }] },
)

export type TargetCreation = Static<typeof TargetCreation>
export type TargetUpdate = Static<typeof TargetUpdate>

export const Target = t.Object(
  {
    ...presentedFields,
    url: t.String(),
    honor_labels: t.Boolean(),
    auth: t.Nullable(EndpointAuth),
  },
  { title: 'Target' },
)

export function presentTarget(seal: Seal, row: ScrapeTargetRow, health: Health): Static<typeof Target> {
  return {
    id: row.id,
    organization_id: row.organization_id,
    name: row.name,
    url: row.url,
    interval_seconds: row.interval_seconds,
    timeout_seconds: row.timeout_seconds,
    labels: parseSeriesLabels(row),
    honor_labels: row.honor_labels === 1,
    auth: maskAuth(unsealAuth(seal, 'scrape_targets.sealed_auth', row)),
    is_active: row.is_active === 1,
    health: presentHealth(health),
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
  }
}
