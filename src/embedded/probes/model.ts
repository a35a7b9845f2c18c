import { type Static, t } from 'elysia'
import type { Seal } from '../../db/sealing/seal.ts'
import type { ProbeRow } from '../../db/tables/tables.ts'
import { Anything, Text, WholeNumber } from '../../http/schemas.ts'
import { collectedFields, presentCollected, presentedFields } from '../collection/fields-model.ts'
import type { Health } from '../collection/item.ts'
import { presentSettings, SentSettings } from './settings-model.ts'
import { openProbe } from './settings.ts'

const fields = {
  ...collectedFields,
  /** Read by `assertType`, whose errors give more detail. */
  type: t.String({
    description: 'http, tcp, dns or icmp',
    described: { type: 'string', enum: ['http', 'tcp', 'dns', 'icmp'], description: 'http, tcp, dns or icmp' },
  }),
  target: Text({ max: 2000 }),
  confirm: t.Optional(
    t.Boolean({
      description:
        'true or false; true: a failed run is tried again after 5 and after 10 seconds, and the target is down if both fail',
    }),
  ),
  down_after: t.Optional(WholeNumber({ min: 1, max: 10 })),
  settings: t.Optional(Anything(SentSettings)), // read by readTargetAndSettings, depending on the type
}

export const ProbeCreation = t.Object(fields, {
  title: 'ProbeCreation',
  examples: [
    { name: 'home page', type: 'http', target: 'https://example.org/', settings: { body_matches: 'Example' } },
    {
      name: 'health',
      type: 'http',
      target: 'https://example.org/health',
      settings: {
        auth: { bearer: { token: 'Vq3-health-only' } },
        json_conditions: ['$.status == "UP"', '$.queue.length < 100'],
        header_matches: { 'content-type': '^application/json' },
        response_time_below_ms: 500,
      },
    },
    { name: 'database', type: 'tcp', target: 'db.example.org:5432' },
    {
      name: 'queue',
      type: 'tcp',
      target: 'queue.example.org:5671',
      settings: {
        tls: true,
        auth: {
          tls: {
            certificate: '-----BEGIN CERTIFICATE-----\nMIIB…\n-----END CERTIFICATE-----',
            key: '-----BEGIN PRIVATE KEY-----\nMIGH…\n-----END PRIVATE KEY-----',
          },
        },
      },
    },
    { name: 'name server', type: 'dns', target: 'example.org', settings: { record_type: 'MX' } },
    { name: 'router', type: 'icmp', target: '192.0.2.1' },
  ],
})

export const ProbeUpdate = t.Object(
  { ...fields, name: t.Optional(fields.name), type: t.Optional(fields.type), target: t.Optional(fields.target) },
  { title: 'ProbeUpdate', examples: [{ interval_seconds: 60, settings: { expected_status: [200, 204] } }] },
)

export type ProbeCreation = Static<typeof ProbeCreation>
export type ProbeUpdate = Static<typeof ProbeUpdate>

export const Probe = t.Object(
  {
    ...presentedFields,
    type: t.String(),
    target: t.String(),
    confirm: t.Boolean(),
    down_after: t.Number(),
    settings: Anything(SentSettings),
  },
  { title: 'Probe' },
)

/** Presents a probe with its secrets masked. */
export function presentProbe(seal: Seal, row: ProbeRow, health: Health): Static<typeof Probe> {
  return {
    ...presentCollected(row, health),
    type: row.type,
    target: row.target,
    confirm: row.confirm === 1,
    down_after: row.down_after,
    settings: presentSettings(openProbe(seal, row)),
  }
}
