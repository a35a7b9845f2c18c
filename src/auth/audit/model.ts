import { type Static, t } from 'elysia'
import { isoTime } from '../../clock.ts'
import { auditEvents } from '../../db/audit.ts'
import { PageFields, PageQuery } from '../../http/paging.ts'
import { OneOf, QueryId } from '../../http/schemas.ts'
import { QueryTime } from '../../http/zoned-time.ts'
import type { AuditFilter, AuditRow } from './store.ts'

/**
 * `object`: id of what was changed, or part of its name. `from` is inclusive, `to` exclusive: exports of consecutive months share
 * no entry.
 */
export const AuditQuery = t.Object({
  ...PageQuery,
  event: t.Optional(OneOf(auditEvents)),
  outcome: t.Optional(OneOf(['success', 'failure'])),
  user_id: t.Optional(QueryId),
  object: t.Optional(t.String({ minLength: 1, maxLength: 200 })),
  from: t.Optional(QueryTime()),
  to: t.Optional(QueryTime()),
  format: t.Optional(OneOf(['json', 'csv', 'jsonl'])),
})

/** Credential that was used. `id`: number of the session or API token; for an OAuth client, its `client_id`. */
const Credential = t.Object(
  {
    type: OneOf(['session', 'api_token', 'oauth_client']),
    id: t.Union([t.Number(), t.String()]),
    name: t.Optional(t.String()),
  },
  { description: 'credential of the request; null: it had none, as at a login' },
)

const Entry = t.Object(
  {
    id: t.Number(),
    event: t.String(),
    outcome: t.String(),
    user_id: t.Nullable(t.Number()),
    email: t.Nullable(t.String()),
    ip: t.String(),
    user_agent: t.String(),
    details: t.Record(t.String(), t.Unknown()),
    created_at: t.String(),
    credential: t.Nullable(Credential),
  },
  { title: 'AuditEntry' },
)
export type AuditEntry = Static<typeof Entry>

export const AuditPage = t.Object(
  {
    entries: t.Array(Entry),
    ...PageFields,
  },
  { title: 'AuditPage' },
)

export function presentEntry(row: AuditRow): AuditEntry {
  return {
    id: row.id,
    event: row.event,
    outcome: row.outcome,
    user_id: row.user_id,
    email: row.email,
    ip: row.ip,
    user_agent: row.user_agent,
    details: JSON.parse(row.details),
    created_at: isoTime(row.created_at),
    credential: row.credential === null ? null : JSON.parse(row.credential),
  }
}

export function filterOf(query: Static<typeof AuditQuery>): AuditFilter {
  const { event, outcome, user_id: userId, object, from: fromMs, to: toMs } = query
  return { event, outcome, userId, object, fromMs, toMs }
}
