import { type Static, t } from 'elysia'
import type { Seal } from '../../db/sealing/seal.ts'
import type { ScrapeTargetRow } from '../../db/tables/tables.ts'
import { EndpointAuth, maskAuth, unsealAuth } from '../../http/endpoint-auth.ts'
import { collectedFields, presentCollected, presentedFields, ScrapeUrl } from '../collection/fields-model.ts'
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
    ...presentCollected(row, health),
    url: row.url,
    honor_labels: row.honor_labels === 1,
    auth: maskAuth(unsealAuth(seal, 'scrape_targets.sealed_auth', row)),
  }
}
