import { afterEach, beforeEach, expect, test } from 'bun:test'
import { dayMs } from '../../../src/clock.ts'
import { pruneOldRows } from '../../../src/jobs/prune.ts'
import { type TestApp, testStartMs } from '../../support/app.ts'
import { dump } from '../../support/populated.ts'
import { joinedApp } from '../../support/reused-app.ts'
import { checkout } from '../../support/slo-calls.ts'
import { rulesOf } from '../../support/rules-of.ts'

const path = '/api/v1/annotations'
const deploy = { kind: 'deploy', service: 'checkout', version: 'v1.4.2', url: 'https://ci.example.com/812' }
const at = (seconds: number) => new Date(testStartMs + seconds * 1000).toISOString()

let nines: TestApp
beforeEach(async () => {
  nines = await joinedApp()
})
afterEach(() => nines.close())

const slo = async (labels: Record<string, string>) =>
  (await nines.call('POST', '/api/v1/slos', { ...checkout, labels })).body.id
const add = async (sent: object) => (await nines.call('POST', path, sent)).body.data
const listed = async (query: string) =>
  (await nines.call('GET', `${path}?${query}`)).body.annotations.map(({ id }: { id: number }) => id)

test('a deploy is stored as of now, and says how many SLOs it matches', async () => {
  await slo({ service: 'checkout', team: 'payments' })
  await slo({ service: 'checkout' })
  await slo({ service: 'cart' })
  const { status, body } = await nines.call('POST', path, deploy)
  const stored = {
    id: 1,
    title: 'deploy checkout v1.4.2',
    ...deploy,
    labels: { service: 'checkout' },
    text: '',
    at: at(0),
    created_by: 1,
    created_by_name: expect.any(String),
    created_at: at(0),
    slo_count: 2,
  }
  expect([status, body]).toEqual([201, { success: true, message: 'Annotation created', data: stored }])
  expect((await nines.call('GET', `${path}/1`)).body.data).toEqual(stored)
  const { slo_count: _, ...inList } = stored
  expect((await nines.call('GET', path)).body).toMatchObject({ annotations: [inList], total: 1, page_size: 50 })
})

test('an SLO has the annotations whose labels are all its own, in a range of time, the latest first', async () => {
  const own = { service: 'a "quoted" \\ name', team: 'über' }
  const id = await slo(own)
  await add({ ...deploy, service: own.service, at: at(-60) })
  await add({ ...deploy, service: undefined, labels: own, at: at(-120) })
  await add({ ...deploy, service: own.service, labels: { team: 'other' } })
  await add({ ...deploy, service: 'quoted' })
  await add({ kind: 'note', labels: { team: 'über' }, text: 'Sale', at: at(-180) })
  expect(await listed(`slo_id=${id}`)).toEqual([1, 2, 5])
  expect(await listed(`slo_id=${id}&page_size=1&page=2`)).toEqual([2])
  expect(await listed(`slo_id=${id}&kind=note`)).toEqual([5])
  expect(await listed(`slo_id=${id}&start=${at(-130)}&end=${at(-61)}`)).toEqual([2])
  const counts = []
  for (const n of [1, 2, 3, 4, 5]) counts.push((await nines.call('GET', `${path}/${n}`)).body.data.slo_count)
  expect(counts).toEqual([1, 1, 0, 0, 1])
})

test('a label that another text only contains does not match', async () => {
  await slo({ service: 'x","team":"payments', other: 'y' })
  expect(await add({ kind: 'change', labels: { team: 'payments' } })).toMatchObject({ slo_count: 0 })
  expect(await add({ kind: 'change', service: 'x' })).toMatchObject({ slo_count: 0 })
})

test('it is changed and deleted, and both are in the audit log', async () => {
  await add(deploy)
  const { body } = await nines.call('PATCH', `${path}/1`, { text: 'Rolled back', labels: { team: 'payments' } })
  expect(body.data).toMatchObject({
    version: 'v1.4.2',
    text: 'Rolled back',
    labels: { team: 'payments' },
    service: null,
  })
  expect((await nines.call('PATCH', `${path}/1`, { text: 'Rolled back' })).status).toBe(200) // changes nothing
  expect((await nines.call('DELETE', `${path}/1`)).body).toEqual({ success: true, message: 'Annotation deleted' })
  expect((await nines.call('GET', `${path}/1`)).status).toBe(404)
  const { entries } = (await nines.call('GET', '/api/v1/audit-log?page_size=3')).body
  expect(entries.map(({ event }: { event: string }) => event)).toEqual([
    'annotation_deleted',
    'annotation_changed',
    'annotation_created',
  ])
  expect(entries[1].details).toMatchObject({ annotation_id: 1, text: 'Rolled back', text_before: '' })
})

test.each([
  [{ service: undefined }, 'service: is required, or labels with at least one entry'],
  [{ service: undefined, labels: {} }, 'service: is required, or labels with at least one entry'],
  [{ labels: { team: 7 } }, 'labels.team: must be 1 to 200 characters, no control characters'],
  [{ kind: 'release' }, 'kind: must be one of deploy, change, note'],
  [
    { url: 'javascript:alert(1)' },
    'url: must be an http(s) URL of at most 2000 characters without user name, password and invisible characters, or empty',
  ],
  [{ at: at(301) }, 'at: must not be in the future'],
  [{ at: at(-401 * 86_400) }, 'at: must be at most 400 days ago'],
  [{ at: '2026-11-20' }, 'at: must be an ISO 8601 time with a zone'],
])('refused, and without effect, is %j', async (change, details) => {
  const before = dump(nines)
  const { status, body } = await nines.call('POST', path, { ...deploy, ...change })
  expect([status, rulesOf(body)]).toEqual([400, details])
  expect(dump(nines)).toEqual(before)
})

test('a token of the scope annotate reports deploys and does nothing else', async () => {
  const made = { name: 'ci', role: 'member', scope: 'annotate' }
  const { token } = (await nines.call('POST', '/api/v1/auth/tokens', made)).body
  expect((await nines.call('POST', path, deploy, { token })).status).toBe(201)
  for (const [method, to] of [
    ['GET', path],
    ['GET', `${path}/1`],
    ['DELETE', `${path}/1`],
  ] as const) {
    expect((await nines.call(method, to, undefined, { token })).status).toBe(403)
  }
})

test('an annotation goes RETENTION_DAYS after its time', async () => {
  const oldest = testStartMs - nines.app.config.retentionDays * dayMs
  await add(deploy)
  await add({ ...deploy, at: new Date(oldest).toISOString() })
  nines.clock.advance(1)
  await pruneOldRows(nines.app)
  expect(await listed('')).toEqual([1])
})

test('an unchanged list is answered with 304', async () => {
  await add(deploy)
  const etag = (await nines.call('GET', path)).headers.get('etag') ?? ''
  const again = await nines.call('GET', path, undefined, { headers: { 'if-none-match': etag } })
  expect([etag.length > 0, again.status]).toEqual([true, 304])
})
