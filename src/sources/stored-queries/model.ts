import { type Static, t } from 'elysia'
import { isoTime, isoTimeOrNull } from '../../clock.ts'
import type { SourceQueryRow } from '../../db/tables/tables.ts'
import { BodyId, Name, OneOf, QueryId, QueryNumber, Text, WholeNumber } from '../../http/schemas.ts'
import { Execution } from '../model.ts'

const requiredFields = {
  query_name: Name({ max: 200 }),
  source_query: Text({ max: 10_000, lines: 'many' }),
  query_type: OneOf(['availability', 'latency', 'throughput', 'error_rate', 'custom', 'ratio']),
}

const optionalFields = {
  force: t.Optional(t.Boolean({ description: 'true or false' })),
  metric_labels: t.Optional(
    t.Array(Text({ max: 200 }), { maxItems: 50, description: 'at most 50 texts of 1 to 200 characters' }),
  ),
  evaluation_interval_seconds: t.Optional(WholeNumber({ min: 10, max: 86_400 })),
  source_id: t.Optional(t.Nullable(BodyId('source'))),
  is_active: t.Optional(t.Boolean({ description: 'true or false' })),
}

export const SourceQueryCreation = t.Object(
  { slo_id: BodyId('SLO'), ...requiredFields, ...optionalFields },
  {
    title: 'SourceQueryCreation',
    examples: [
      {
        slo_id: 1,
        query_name: 'Requests per second',
        source_query: 'sum(rate(http_requests_total[5m]))',
        query_type: 'throughput',
        evaluation_interval_seconds: 60,
      },
    ],
  },
)

/** Change of a query. Its SLO cannot be changed. */
export const SourceQueryUpdate = t.Object(
  { ...t.Partial(t.Object(requiredFields)).properties, ...optionalFields },
  { title: 'SourceQueryUpdate', examples: [{ evaluation_interval_seconds: 300 }] },
)

export type SourceQueryCreation = Static<typeof SourceQueryCreation>
export type SourceQueryUpdate = Static<typeof SourceQueryUpdate>

export const SourceQueryListQuery = t.Object({ slo_id: t.Optional(QueryId) })
export const ExecutionListQuery = t.Object({ limit: t.Optional(QueryNumber({ min: 1, max: 1000 })) })

/** Stored query. `last_value`: mean of the series of the newest execution with a number. `source_id` null: the SLO's source. */
export const SourceQuery = t.Object(
  {
    id: t.Number(),
    slo_id: t.Number(),
    source_id: t.Nullable(t.Number()),
    query_name: t.String(),
    source_query: t.String(),
    query_type: t.String(),
    query_hash: t.String(),
    metric_labels: t.Array(t.String()),
    evaluation_interval_seconds: t.Number(),
    is_active: t.Boolean(),
    last_value: t.Nullable(
      t.Number({ description: 'mean over the series of the newest execution with a number, in the unit of the query' }),
    ),
    last_value_at: t.Nullable(t.String()),
    created_at: t.String(),
    updated_at: t.String(),
  },
  { title: 'SourceQuery' },
)

export const SourceQueryList = t.Object({ queries: t.Array(SourceQuery), total: t.Number() })
export const ExecutionList = t.Object({ executions: t.Array(Execution), total: t.Number() })

/** Presents a row for a response with the fields of `SourceQuery`. */
export function presentSourceQuery(row: SourceQueryRow) {
  return {
    ...row,
    metric_labels: JSON.parse(row.metric_labels),
    is_active: row.is_active === 1,
    last_value_at: isoTimeOrNull(row.last_value_at),
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
  }
}
