import { join } from 'node:path'
import type { Seal, SealedColumn, SealedRow } from '../../src/db/sealing/seal.ts'
import { type Connection, Database } from '../../src/db/sqlite.ts'

type SealOne = (plain: string, column: SealedColumn, row: SealedRow) => string
type Stored = { column: SealedColumn; row: SealedRow; table: string; sealed: string }

const checked: Record<string, unknown> = {
  type: 'tcp',
  event: 'alert',
  status: 'sent',
  priority: 'low',
  time_window: '1h',
  metric_type: 'availability',
  window_method: 'auto',
  query_unit: 'auto',
}
const deletedId = 40

/** Inserts two organizations with one of everything that has a sealed value. Each value is the thing's name. */
export function insertSealed(db: Connection, seal: SealOne): void {
  for (const organization_id of [1, 2]) {
    const row = { id: organization_id, organization_id }
    const of = (column: SealedColumn, named = row) => seal(`${column} of ${named.id}`, column, named)
    insert(db, 'organizations', { id: organization_id })
    insert(db, 'teams', { organization_id, id: 1 })
    insert(db, 'slos', { ...row, team_id: 1 })
    insert(db, 'data_sources', { ...row, sealed_auth: of('data_sources.sealed_auth') })
    insert(db, 'data_sources', { ...row, id: 10 + organization_id, is_default: 0, sealed_auth: null })
    insert(db, 'scrape_targets', { ...row, sealed_auth: of('scrape_targets.sealed_auth') })
    insert(db, 'probes', { ...row, sealed_settings: of('probes.sealed_settings') })
    insert(db, 'heartbeats', {
      ...row,
      cron: null,
      time_zone: null,
      period_seconds: 60,
      sealed_token: of('heartbeats.sealed_token'),
    })
    insert(db, 'users', { id: organization_id, organization_id, role: 'admin', email_key: `${organization_id}` })
    const sealed_secret = of('second_factors.sealed_secret')
    insert(db, 'second_factors', { user_id: organization_id, organization_id, sealed_secret })
    const ofSlo = { organization_id, slo_id: organization_id }
    const sealed_configuration = of('channels.sealed_configuration')
    insert(db, 'channels', { ...row, sealed_configuration })
    insert(db, 'notifications', { ...ofSlo, channel_id: organization_id, sealed_configuration })
    insert(db, 'notifications', { ...ofSlo, channel_id: organization_id, sealed_configuration: null })
    const deleted = { id: deletedId + organization_id, organization_id }
    const copy = of('channels.sealed_configuration', deleted)
    insert(db, 'notifications', { ...ofSlo, channel_id: deleted.id, sealed_configuration: copy })
  }
}

/** Every sealed value of a database filled by `insertSealed`, in order. */
export function storedIn(db: Connection): Stored[] {
  const list = (table: string, column: string, boundTo: SealedColumn, id = 'id') =>
    db
      .prepare<[], { id: number; organization_id: number; sealed: string }>(
        `SELECT ${id} AS id, organization_id, ${column} AS sealed FROM ${table} WHERE ${column} IS NOT NULL ORDER BY rowid`,
      )
      .all()
      .map(({ sealed, ...row }): Stored => ({ table, column: boundTo, row, sealed }))
  return [
    ...list('data_sources', 'sealed_auth', 'data_sources.sealed_auth'),
    ...list('scrape_targets', 'sealed_auth', 'scrape_targets.sealed_auth'),
    ...list('probes', 'sealed_settings', 'probes.sealed_settings'),
    ...list('heartbeats', 'sealed_token', 'heartbeats.sealed_token'),
    ...list('second_factors', 'sealed_secret', 'second_factors.sealed_secret', 'user_id'),
    ...list('channels', 'sealed_configuration', 'channels.sealed_configuration'),
    ...list('notifications', 'sealed_configuration', 'channels.sealed_configuration', 'channel_id'),
  ]
}

/** Problems of the sealed values in a data folder; empty if each can be unsealed in its row and equals its name. */
export function problemsIn(dataDir: string, seal: Seal): string[] {
  const db = new Database(join(dataDir, 'nines.db'), { readonly: true })
  const stored = storedIn(db)
  db.close()
  if (stored.length !== 16) return [`${stored.length} values`]
  return stored.flatMap(({ table, column, row, sealed }) => {
    try {
      const plain = seal.unseal(sealed, column, row)
      return plain === `${column} of ${row.id}` ? [] : [`${table} holds ${plain}`]
    } catch (error) {
      return [`${table}: ${String(error)}`]
    }
  })
}

/** Inserts a row with these values and dummy values for all other required columns. */
function insert(db: Connection, table: string, values: Record<string, unknown>): void {
  const columns = db
    .prepare<[string], { name: string; type: string; needed: number }>(
      'SELECT name, type, "notnull" AND dflt_value IS NULL AND NOT pk AS needed FROM pragma_table_info(?)',
    )
    .all(table)
    .filter(({ name, needed }) => needed || name in values)
  const fill = (type: string) => (type === 'TEXT' ? Bun.randomUUIDv7() : 1)
  const row = columns.map(({ name, type }) => ({ ...checked, ...values })[name] ?? (name in values ? null : fill(type)))
  const marks = columns.map(() => '?').join()
  db.prepare(`INSERT INTO ${table} (${columns.map(({ name }) => name).join()}) VALUES (${marks})`).run(...row)
}
