import { type Static, t } from 'elysia'
import { isoTime, isoTimeOrNull } from '../clock.ts'
import type { Seal } from '../db/sealing/seal.ts'
import type { DataSourceRow, ExecutionRow } from '../db/tables/tables.ts'
import type { SourceStatus } from './source-status.ts'
import { embeddedUrl } from './embedded-source.ts'
import { EndpointAuth, maskAuth, unsealAuth } from '../http/endpoint-auth.ts'
import { Decoded, Format, Name, OneOf } from '../http/schemas.ts'

function isBaseUrl(value: string): boolean {
  const text = value.trim()
  if (text === embeddedUrl) return true
  if (text.length > 2000 || !/^https?:\/\/[^\s\p{Cc}?#]+$/iu.test(text) || !URL.canParse(text)) return false
  const { username, password } = new URL(text)
  return username === '' && password === ''
}

/** URL before `/api/v1`, as in Grafana, or `embedded`; trailing slashes are removed. */
const BaseUrl = Decoded(
  Format('base-url', 'an http(s) URL without credentials, query string and fragment, or embedded', isBaseUrl),
  (value) => value.trim().replace(/\/+$/, ''),
)

const SourceFields = {
  name: Name({ max: 200 }),
  api_url: BaseUrl,
  auth: t.Optional(t.Nullable(EndpointAuth)),
  is_active: t.Optional(t.Boolean({ description: 'true or false' })),
  is_default: t.Optional(t.Boolean({ description: 'true or false' })),
}

export const SourceCreation = t.Object(SourceFields, {
  title: 'SourceCreation',
  examples: [{ name: 'Main', api_url: 'http://prometheus:9090', auth: { bearer: { token: 's3cret' } } }],
})

export const SourceUpdate = t.Object(
  {
    ...SourceFields,
    name: t.Optional(SourceFields.name),
    api_url: t.Optional(SourceFields.api_url),
  },
  { title: 'SourceUpdate', examples: [{ is_default: true }] },
)

export type SourceCreation = Static<typeof SourceCreation>
export type SourceUpdate = Static<typeof SourceUpdate>

export const DataSource = t.Object(
  {
    id: t.Number(),
    organization_id: t.Number(),
    name: t.String(),
    api_url: t.String(),
    auth: t.Nullable(EndpointAuth),
    is_active: t.Boolean(),
    is_default: t.Boolean(),
    health: t.Object(
      {
        status: OneOf(['answers', 'failing', 'unknown']),
        last_answer_at: t.Nullable(t.String()),
        latency_ms: t.Nullable(t.Number({ description: 'of the last answer, in milliseconds' })),
        error: t.Nullable(t.String()),
        failing_since: t.Nullable(t.String()),
      },
      { title: 'SourceHealth', description: 'how it answered last, since the start of nines' },
    ),
    slo_count: t.Number({ description: 'the number of active SLOs that read it, by its id or as the default' }),
    created_at: t.String(),
    updated_at: t.String(),
  },
  { title: 'DataSource' },
)

function presentAnswers({ answeredAtMs, latencyMs, error, failingSinceMs }: SourceStatus) {
  return {
    status: error !== null ? 'failing' : answeredAtMs !== null ? 'answers' : 'unknown',
    last_answer_at: isoTimeOrNull(answeredAtMs),
    latency_ms: latencyMs === null ? null : Math.round(latencyMs * 10) / 10,
    error,
    failing_since: isoTimeOrNull(failingSinceMs),
  } as const
}

type SourceContext = { answers: SourceStatus; sloCounts: ReadonlyMap<number | null, number> }

export function presentSource(seal: Seal, row: DataSourceRow, { answers, sloCounts }: SourceContext) {
  return {
    id: row.id,
    organization_id: row.organization_id,
    name: row.name,
    api_url: row.api_url,
    auth: maskAuth(unsealAuth(seal, 'data_sources.sealed_auth', row)),
    is_active: row.is_active === 1,
    is_default: row.is_default === 1,
    health: presentAnswers(answers),
    slo_count: (sloCounts.get(row.id) ?? 0) + (row.is_default === 1 ? (sloCounts.get(null) ?? 0) : 0),
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
  }
}

/** Result of testing a source. */
export const SourceTrial = t.Object(
  {
    ok: t.Boolean(),
    error: t.Nullable(t.String()),
    duration_ms: t.Number(),
    version: t.Nullable(t.String({ description: 'as the source gives it' })),
    targets: t.Nullable(
      t.Object(
        {
          all: t.Number({ description: 'how many there are' }),
          up: t.Number({ description: 'how many of them answer' }),
          jobs: t.Array(t.String(), { description: 'the first 20' }),
        },
        { description: 'what `up` answers: its scrape targets' },
      ),
    ),
  },
  { title: 'SourceTrial' },
)

export type SourceTrial = Static<typeof SourceTrial>

/** Query that was sent to a source, and its outcome. */
export const Execution = t.Object(
  {
    id: t.Number(),
    query_id: t.Nullable(t.Number()),
    slo_id: t.Number(),
    execution_time: t.String(),
    execution_duration_ms: t.Number(),
    status: t.String(),
    error: t.Optional(t.String()),
    result_samples: t.Number(),
    metadata: t.Object({
      time_range: t.String({ description: 'what was read: a window or range, or instant' }),
      start_time: t.Optional(t.String({ description: 'the first point, or what an instant query reaches back to' })),
      end_time: t.Optional(t.String()),
      step_seconds: t.Optional(t.Nullable(t.Number({ description: 'null: an instant query at end_time' }))),
      source_name: t.String(),
      part: t.String(),
      expression: t.String(),
      window_method: t.String(),
    }),
    created_at: t.String(),
  },
  { title: 'Execution' },
)

export function presentExecution(row: ExecutionRow) {
  return {
    id: row.id,
    query_id: row.query_id,
    slo_id: row.slo_id,
    execution_time: isoTime(row.executed_at),
    execution_duration_ms: row.duration_ms,
    status: row.status,
    ...(row.error === null ? {} : { error: row.error }),
    result_samples: row.result_samples,
    metadata: JSON.parse(row.metadata),
    created_at: isoTime(row.created_at),
  }
}
