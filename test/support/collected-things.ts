import type { App } from '../../src/app.ts'

type Of = { name: string; organization_id: number; url: string; nowMs: number }

/** Inserts a scrape target, a probe and a heartbeat of an organization. The collector has not read them yet. */
export async function addCollected({ db, seal }: App, { name, organization_id, url, nowMs }: Of) {
  const row = {
    organization_id,
    name: `${name} pulse`,
    interval_seconds: 30,
    timeout_seconds: 0.5,
    labels: JSON.stringify({ owner: name }),
    is_active: 1 as const,
    created_at: nowMs,
    updated_at: nowMs,
  }
  const { id: target } = await db.write
    .insertInto('scrape_targets')
    .values({ ...row, url, honor_labels: 0, sealed_auth: null })
    .returning('id')
    .executeTakeFirstOrThrow()
  const asked = { method: 'GET', headers: { 'X-Key': name }, body: null, followRedirects: true }
  const expected = { expectedStatus: [204], bodyMatches: null, bodyMatchesNot: null, verifyCertificate: true }
  const { id: probe } = await db.write
    .insertInto('probes')
    .values({
      ...row,
      type: 'http',
      target: url,
      confirm: 1,
      down_after: 2,
      sealed_settings: '',
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const text = JSON.stringify({ ...asked, ...expected })
  const sealed_settings = seal.seal(text, 'probes.sealed_settings', { id: probe, organization_id })
  await db.write.updateTable('probes').set({ sealed_settings }).where('id', '=', probe).execute()
  const { id: heartbeat } = await db.write
    .insertInto('heartbeats')
    .values({
      organization_id,
      name: row.name,
      slug: `${name}-pulse`.toLowerCase(),
      period_seconds: 3600,
      cron: null,
      time_zone: null,
      grace_seconds: 300,
      labels: row.labels,
      is_active: 1,
      token_hash: `${name} ${organization_id}`,
      sealed_token: '',
      created_at: nowMs,
      updated_at: nowMs,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const token = JSON.stringify(`token of ${name}`)
  const sealed_token = seal.seal(token, 'heartbeats.sealed_token', { id: heartbeat, organization_id })
  await db.write.updateTable('heartbeats').set({ sealed_token }).where('id', '=', heartbeat).execute()
  return { target, probe, heartbeat }
}
