import { Database } from 'bun:sqlite'
import { join } from 'node:path'

export type Row = {
  id: number
  channel_id: number
  channel_type: string
  rule_id: number | null
  alert_id: number | null
  event: string
  subject: string
  status: string
  idempotency_key: string
  max_retries: number
  error_message: string
  attempts: Attempt[]
}
type Attempt = { notification_id: number; outcome: string; status_code: number | null }
type Alert = { id: number; slo_id: number; name: string; severity: string; ended_at: number | null }
type Rule = { id: number; cause: string; slo_id: number; channel_id: number }

/** Content of a data folder that no process uses, in order of ids. */
export type Outbox = { rows: Row[]; alerts: Alert[]; rules: Rule[]; problems: unknown[] }

export function readOutbox(dataDir: string): Outbox {
  using db = new Database(join(dataDir, 'nines.db'), { readonly: true })
  const all = <T>(sql: string) => db.query<T, []>(sql).all()
  const attempts = Map.groupBy(
    all<Attempt>('SELECT * FROM notification_attempts ORDER BY id'),
    ({ notification_id }) => notification_id,
  )
  return {
    rows: all<Row>('SELECT * FROM notifications ORDER BY id').map((row) => ({
      ...row,
      attempts: attempts.get(row.id) ?? [],
    })),
    alerts: all('SELECT * FROM alerts ORDER BY id'),
    rules: all('SELECT * FROM notification_rules ORDER BY id'),
    problems: [
      ...all<{ integrity_check: string }>('PRAGMA integrity_check').filter((row) => row.integrity_check !== 'ok'),
      ...all('PRAGMA foreign_key_check'),
    ],
  }
}
