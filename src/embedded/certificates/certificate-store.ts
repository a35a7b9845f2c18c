import { sql } from 'kysely'
import type { CertificateUser, SeenCertificate, UsedCertificate } from '../../certificate.ts'
import type { Db } from '../../db/open.ts'
import type { CertificateRow, ChannelRow } from '../../db/tables/tables.ts'
import { serverOf } from './server.ts'

/** Probe, source or channel of an organization, whose server has a certificate. */
export type CertificateSubject = { organizationId: number; kind: CertificateUser['kind']; id: number }

/** Certificate that the server of a subject has; null: the server has none. */
export type Sighting = CertificateSubject & { server: string; certificate: SeenCertificate | null }

const tables = { probe: 'probes', source: 'data_sources', channel: 'channels' } as const
const columns = { probe: 'probe_id', source: 'source_id', channel: 'channel_id' } as const

/** Replaces the stored certificate of a subject, or deletes it if `certificate` is null. Stores nothing for a deleted subject. */
export async function storeSighting(trx: Db, sighting: Sighting): Promise<void> {
  const { organizationId, kind, id, server, certificate } = sighting
  const column = sql.ref(columns[kind])
  if (certificate === null) {
    await sql`delete from certificates where ${column} = ${id}`.execute(trx)
    return
  }
  const { fingerprint, issuer, names, startsAt, expiresAt, seenAt } = certificate
  await sql`
    insert into certificates (
      organization_id, ${column}, server, fingerprint, issuer, names, starts_at, expires_at, seen_at
    )
    select organization_id, id, ${server}, ${fingerprint}, ${issuer}, ${JSON.stringify(names)}, ${startsAt}, ${expiresAt}, ${seenAt}
    from ${sql.table(tables[kind])} where id = ${id} and organization_id = ${organizationId}
    on conflict (${column}) do update set
      previous_fingerprint = case
        when server <> excluded.server then null
        when fingerprint <> excluded.fingerprint then fingerprint
        else previous_fingerprint
      end,
      replaced_at = case when fingerprint <> excluded.fingerprint then excluded.seen_at else replaced_at end,
      server = excluded.server, fingerprint = excluded.fingerprint, issuer = excluded.issuer, names = excluded.names,
      starts_at = excluded.starts_at, expires_at = excluded.expires_at, seen_at = excluded.seen_at
  `.execute(trx)
}

/** Stored certificate of each subject. */
export async function listStored(db: Db): Promise<Sighting[]> {
  const rows = await db.selectFrom('certificates').selectAll().execute()
  return rows.map(({ probe_id, source_id, channel_id, ...row }) => ({
    organizationId: row.organization_id,
    kind: probe_id === null ? (source_id === null ? 'channel' : 'source') : 'probe',
    id: probe_id ?? source_id ?? channel_id ?? 0,
    server: row.server,
    certificate: seenOf(row),
  }))
}

type Row = Pick<CertificateRow, 'fingerprint' | 'issuer' | 'names' | 'starts_at' | 'expires_at' | 'seen_at'>

function seenOf({ fingerprint, issuer, names, starts_at, expires_at, seen_at }: Row): SeenCertificate {
  return {
    fingerprint,
    issuer,
    names: JSON.parse(names),
    startsAt: starts_at,
    expiresAt: expires_at,
    seenAt: seen_at,
  }
}

/** Selection of certificates. Without `organizationId`: of all organizations. `expiresBy`: Unix seconds. */
type Selection = { organizationId?: number; expiresBy?: number; fingerprints?: readonly string[] }

/**
 * Certificates that active probes, sources and channels use, each once for an organization, the first to expire first. With
 * `expiresBy`, only those that expire by then or have one of the `fingerprints`.
 */
export async function listUsedCertificates(db: Db, selection: Selection): Promise<UsedCertificate[]> {
  const { organizationId, expiresBy, fingerprints = [] } = selection
  const active = db
    .selectFrom('certificates as c')
    .leftJoin('probes', (join) => join.onRef('probes.id', '=', 'c.probe_id').on('probes.is_active', '=', 1))
    .leftJoin('data_sources', (join) =>
      join.onRef('data_sources.id', '=', 'c.source_id').on('data_sources.is_active', '=', 1),
    )
    .leftJoin('channels', (join) => join.onRef('channels.id', '=', 'c.channel_id').on('channels.enabled', '=', 1))
    .selectAll('c')
    .select(['probes.name as probe', 'probes.target', 'data_sources.name as source', 'data_sources.api_url'])
    .select('channels.name as channel')
    .orderBy('c.expires_at')
    .orderBy('c.id')
  const selected = organizationId === undefined ? active : active.where('c.organization_id', '=', organizationId)
  const rows = await (
    expiresBy === undefined
      ? selected
      : selected.where((is) =>
          is.or([is('c.expires_at', '<=', expiresBy), is('c.fingerprint', 'in', anyOf(fingerprints))]),
        )
  ).execute()
  const used = new Map<string, UsedCertificate>()
  for (const { probe, target, source, api_url, channel, ...row } of rows) {
    const name = probe ?? source ?? channel
    const url = target ?? api_url
    if (name === null || (url !== null && serverOf(url) !== row.server)) continue // deactivated, or its URL has another server since then
    const key = `${row.organization_id} ${row.fingerprint}`
    const kind = probe === null ? (source === null ? 'channel' : 'source') : 'probe'
    const user = { kind, id: row.probe_id ?? row.source_id ?? row.channel_id ?? 0, name } as const
    const known = used.get(key)
    if (known) known.usedBy.push(user)
    else used.set(key, { ...seenOf(row), organizationId: row.organization_id, server: row.server, usedBy: [user] })
  }
  return [...used.values()]
}

/** Certificate that replaced the one with the fingerprint `previous` at its server. `expiresAt`: of the new one. Both in Unix seconds. */
export type Replacement = { previous: string; replacedAt: number; expiresAt: number }

/** Replacements of the certificates with these fingerprints at an organization's servers, the newest first. */
export async function listReplacements(
  db: Db,
  organizationId: number,
  fingerprints: readonly string[],
): Promise<Replacement[]> {
  const rows = await db
    .selectFrom('certificates')
    .select(['previous_fingerprint', 'replaced_at', 'expires_at'])
    .where('organization_id', '=', organizationId)
    .where('previous_fingerprint', 'in', anyOf(fingerprints))
    .orderBy('replaced_at', 'desc')
    .execute()
  return rows.map((row) => ({
    previous: row.previous_fingerprint ?? '',
    replacedAt: row.replaced_at ?? 0,
    expiresAt: row.expires_at,
  }))
}

/** Rows of `texts`, for `in`: one parameter for any number of them. */
function anyOf(texts: readonly string[]) {
  return sql<string>`(select value from json_each(${JSON.stringify(texts)}))`
}

/** Sealed configuration of a channel. */
export type SealedChannel = Pick<ChannelRow, 'id' | 'organization_id' | 'channel_type' | 'sealed_configuration'>

/** Active sources with https, and enabled channels, of all organizations. */
export async function listChecked(db: Db) {
  const sources = await db
    .selectFrom('data_sources')
    .select(['id', 'organization_id', 'api_url', 'updated_at'])
    .where('is_active', '=', 1)
    .where('api_url', 'like', 'https:%')
    .execute()
  const channels = await db
    .selectFrom('channels')
    .select(['id', 'organization_id', 'updated_at'])
    .where('enabled', '=', 1)
    .execute()
  return { sources, channels }
}

export async function getSealedChannel(db: Db, id: number): Promise<SealedChannel | undefined> {
  const channel = db.selectFrom('channels').select(['id', 'organization_id', 'channel_type', 'sealed_configuration'])
  return channel.where('id', '=', id).executeTakeFirst()
}
