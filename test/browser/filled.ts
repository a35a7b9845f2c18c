import { expect } from 'bun:test'
import { writeBody, writeHeaders } from '../support/remote-write.ts'
import { withMoments } from './moments.ts'
import type { World } from './world.ts'

/** Something of everything that the pages list. The source must be the embedded one. */
export async function fill(world: World): Promise<void> {
  const { nines } = world
  await withMoments(world)
  const make = async (path: string, body: object) => {
    const { status, text } = await nines.call('POST', `/api/v1${path}`, body)
    if (status >= 300) throw new Error(`${path}: ${text}`)
  }
  await make('/embedded/heartbeats', { name: 'Nightly backup', period_seconds: 300, grace_seconds: 60 })
  const { ping_url } = (await nines.call('GET', '/api/v1/embedded/heartbeats/1')).body
  const reported = await fetch(`${world.url}${new URL(ping_url).pathname}`, { method: 'POST', body: '42 files' })
  expect(reported.status).toBe(200)
  await make('/embedded/heartbeats/key', {})
  await make('/embedded/probes', { name: 'Shop', target: 'http://127.0.0.1:9/', type: 'http' })
  const { token } = (
    await nines.call('POST', '/api/v1/auth/tokens', { name: 'sender', role: 'admin', scope: 'ingest' })
  ).body
  const series = { labels: { __name__: 'up', job: 'edge' }, samples: [[nines.clock.now(), 1] as [number, number]] }
  const headers = { ...writeHeaders[1], authorization: `Bearer ${token}` }
  const written = await fetch(`${world.url}/api/v1/write`, { method: 'POST', body: writeBody(1, [series]), headers })
  expect(written.status).toBe(204)
  await nines.app.db.write
    .insertInto('certificates')
    .values(certificateAt(nines.clock.now() / 1000))
    .execute()
  await make('/annotations', {
    kind: 'deploy',
    labels: { tier: '1' },
    version: 'v1.4.2',
    url: 'https://ci.example.com/812',
  })
  await make('/embedded/targets', { name: 'shop', url: 'http://127.0.0.1:9/metrics', interval_seconds: 30 })
  await make('/corrections', {
    labels: { tier: '1' },
    from: '2026-11-18T02:00:00Z',
    rrule: 'FREQ=WEEKLY',
    duration_seconds: 7200,
    time_zone: 'Europe/Zurich',
    category: 'planned_maintenance',
    text: 'The database moves',
  })
  await make('/reports', { interval: 'week' })
  await make('/reports/schedules', { name: 'For the board', interval: 'month' })
  await nines.app.reports.run()
}

/** A certificate of the probe 1 that expires in three days. */
function certificateAt(nowSeconds: number) {
  const day = 86_400
  return {
    organization_id: 1,
    probe_id: 1,
    server: 'shop.example:443',
    fingerprint: 'a'.repeat(64),
    issuer: 'Example CA',
    names: '["shop.example"]',
    starts_at: nowSeconds - 87 * day,
    expires_at: nowSeconds + 3 * day,
    seen_at: nowSeconds,
  }
}
