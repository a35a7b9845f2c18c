import type { SealedColumn, SealedRow } from './seal.ts'
import type { Connection, Statements } from '../sqlite.ts'

/** Every column with sealed values, the column they are bound to, and the column with the id of the row they are bound to. */
export const sealedValues: { table: string; column: string; boundTo: SealedColumn; id: string }[] = [
  { table: 'data_sources', column: 'sealed_auth', boundTo: 'data_sources.sealed_auth', id: 'id' },
  { table: 'scrape_targets', column: 'sealed_auth', boundTo: 'scrape_targets.sealed_auth', id: 'id' },
  { table: 'probes', column: 'sealed_settings', boundTo: 'probes.sealed_settings', id: 'id' },
  { table: 'heartbeats', column: 'sealed_token', boundTo: 'heartbeats.sealed_token', id: 'id' },
  { table: 'second_factors', column: 'sealed_secret', boundTo: 'second_factors.sealed_secret', id: 'user_id' },
  { table: 'channels', column: 'sealed_configuration', boundTo: 'channels.sealed_configuration', id: 'id' },
  // A copy of the channel's sealed value, bound to the channel: both are compared as they are stored.
  {
    table: 'notifications',
    column: 'sealed_configuration',
    boundTo: 'channels.sealed_configuration',
    id: 'channel_id',
  },
]

/** True if any value is sealed. */
export function hasSealedValues(db: Statements): boolean {
  return sealedValues.some(
    ({ table, column }) => db.prepare(`SELECT 1 FROM ${table} WHERE ${column} IS NOT NULL LIMIT 1`).get() !== undefined,
  )
}

type Reseal = (sealed: string, column: SealedColumn, row: SealedRow) => string

/** Numbers of values that were sealed again, and of values that could not be unsealed: these stay, unusable as before. */
export type Resealed = { resealed: number; unreadable: number }

/**
 * Seals every value again, in the caller's transaction; equal copies stay equal. If there are values and none of them can be
 * unsealed, throws: the secret is the wrong one.
 */
export function resealAll(db: Connection, reseal: Reseal): Resealed {
  const done: Resealed = { resealed: 0, unreadable: 0 }
  let failure: unknown
  const resealed = new Map<string, string>()
  db.function('reseal', { directOnly: true }, (sealed, column, id, organizationId) => {
    const oldValue = String(sealed)
    const key = JSON.stringify([column, id, organizationId, oldValue])
    try {
      const row = { id: Number(id), organization_id: Number(organizationId) }
      const newValue = resealed.get(key) ?? reseal(oldValue, column as SealedColumn, row)
      resealed.set(key, newValue)
      done.resealed += 1
      return newValue
    } catch (error) {
      failure = error
      done.unreadable += 1
      return oldValue
    }
  })
  for (const { table, column, boundTo, id } of sealedValues) {
    const change = `UPDATE ${table} SET ${column} = reseal(${column}, ?, ${id}, organization_id)`
    db.prepare(`${change} WHERE ${column} IS NOT NULL`).run(boundTo)
  }
  resealed.clear() // the connection keeps the function, and what it refers to
  if (done.unreadable > 0 && done.resealed === 0) throw wrongSecret(failure)
  return done
}

/** Error if `seal.secret` does not fit the database. */
export function wrongSecret(cause?: unknown): Error {
  return new Error(
    'seal.secret must be the one that the stored credentials were sealed with; restore it from a backup',
    {
      cause,
    },
  )
}
