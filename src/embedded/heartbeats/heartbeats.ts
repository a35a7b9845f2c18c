import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { Clock } from '../../clock.ts'
import { recordAudit } from '../../db/audit.ts'
import type { Database } from '../../db/open.ts'
import type { Seal } from '../../db/sealing/seal.ts'
import { sealedEdits } from '../../db/sealed-edits.ts'
import { flag, type HeartbeatRow } from '../../db/tables/tables.ts'
import { invalid, readAll } from '../../errors.ts'
import type { Caller } from '../../http/signed-in.ts'
import { readSeriesLabels } from '../collection/fields.ts'
import { expectationOf } from './heartbeat.ts'
import { heartbeatRows, setPingKey } from './heartbeat-store.ts'
import type { HeartbeatCreation, HeartbeatUpdate } from './model.ts'
import { assertCron, nextDue } from './schedule.ts'

type Deps = { db: Database; clock: Clock; seal: Seal }

const defaultGraceSeconds = 300

const edits = sealedEdits(heartbeatRows, {
  sealed: 'sealed_token',
  event: 'heartbeat',
  audited: ({ id, name, slug, is_active }) => ({ id, name, slug, is_active: is_active === 1 }),
})

export const removeHeartbeat = edits.remove

/** Hash by which the UUID or the key of an address is stored. */
export function hashOfSecret(secret: string): string {
  return createHash('sha256').update(secret.toLowerCase()).digest('hex')
}

/** Stores a heartbeat with an address of its own. Throws `conflict` if the name is in use or the quota is used up. */
export async function createHeartbeat(deps: Deps, caller: Caller, creation: HeartbeatCreation): Promise<HeartbeatRow> {
  const columns = readHeartbeat(creation, deps.clock.now())
  const token = randomUUID()
  return edits.create(deps, caller, () => ({ columns: { ...columns, token_hash: hashOfSecret(token) }, secret: token }))
}

/** Changes the given fields only. After a new schedule or a pause the next run is due as the schedule says from now on. */
export async function changeHeartbeat(
  deps: Deps,
  caller: Caller,
  id: number,
  update: HeartbeatUpdate,
): Promise<HeartbeatRow> {
  return edits.change(deps, caller, { id, update }, (stored, _, nowMs) => {
    const columns = readHeartbeat({ name: stored.name, ...update }, nowMs, stored)
    const isSameSchedule = Bun.deepEquals(expectationOf(stored).schedule, expectationOf(columns).schedule)
    const isResumed = stored.is_active === 0 && columns.is_active === 1
    const isRestarted = stored.due_at !== null && (!isSameSchedule || isResumed)
    const restarted = isRestarted && { due_at: nextDue(expectationOf(columns).schedule, nowMs), starts: '{}' }
    return { columns: { ...columns, ...restarted }, also: {} }
  })
}

/** Gives a heartbeat another address; the earlier address is unknown from then on. */
export async function rotateAddress(deps: Deps, caller: Caller, id: number): Promise<HeartbeatRow> {
  const token = randomUUID()
  return edits.change(deps, caller, { id, update: { token } }, () => ({
    columns: { token_hash: hashOfSecret(token) },
    secret: token,
    also: { address_changed: true },
  }))
}

/** The UUID of a heartbeat's address. */
export function tokenOf(seal: Seal, row: HeartbeatRow): string {
  return JSON.parse(seal.unseal(row.sealed_token, 'heartbeats.sealed_token', row))
}

/** Creates the key for the organization's addresses with slugs, which replaces the earlier key. Only its hash is stored. */
export async function createPingKey({ db, clock }: Omit<Deps, 'seal'>, caller: Caller): Promise<string> {
  const key = randomBytes(16).toString('hex')
  await db.write.transaction().execute(async (trx) => {
    const created_at = clock.now()
    await setPingKey(trx, { organization_id: caller.organizationId, key_hash: hashOfSecret(key), created_at })
    await recordAudit(trx, caller, { event: 'ping_key_created', details: {} }, created_at)
  })
  return key
}

/**
 * Columns as sent, otherwise as stored, otherwise the defaults. A sent period replaces a cron expression, and the other way round.
 */
function readHeartbeat(sent: HeartbeatCreation, nowMs: number, stored?: HeartbeatRow) {
  const [schedule, labels] = readAll(
    () => readSchedule(sent, nowMs, stored),
    () => (sent.labels !== undefined || !stored ? JSON.stringify(readSeriesLabels(sent.labels)) : stored.labels),
  )
  return {
    name: sent.name,
    slug: sent.slug ?? stored?.slug ?? slugOf(sent.name),
    ...schedule,
    grace_seconds: sent.grace_seconds ?? stored?.grace_seconds ?? defaultGraceSeconds,
    labels,
    is_active: flag(sent.is_active ?? stored?.is_active !== 0),
  }
}

function readSchedule(sent: HeartbeatCreation, nowMs: number, stored?: HeartbeatRow) {
  const hasCron = sent.cron !== undefined && sent.cron !== null
  const hasPeriod = sent.period_seconds !== undefined && sent.period_seconds !== null
  if (hasCron && hasPeriod) throw invalid('cron', 'cannot be sent with period_seconds: a heartbeat has one schedule')
  if (hasPeriod) return { period_seconds: sent.period_seconds ?? null, cron: null, time_zone: null }
  const cron = hasCron ? sent.cron?.trim().replace(/\s+/g, ' ') : stored?.cron
  if (cron === null || cron === undefined) {
    if (stored) return { period_seconds: stored.period_seconds, cron: null, time_zone: null }
    throw invalid('period_seconds', 'is required, or cron with time_zone')
  }
  const time_zone = sent.time_zone ?? stored?.time_zone ?? 'UTC'
  assertCron(cron, time_zone, nowMs)
  return { period_seconds: null, cron, time_zone }
}

/** A slug made of a name: "Nightly backup (eu)" gives `nightly-backup-eu`. */
function slugOf(name: string): string {
  const slug = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, '-')
    .replace(/^-+|-+$/g, '')
  return slug.slice(0, 100) || 'heartbeat'
}
