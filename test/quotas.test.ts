import { afterEach, describe, expect, test } from 'bun:test'
import { quotaNames, type QuotaName, settingOfQuota } from '../src/quotas.ts'
import { type Answer, type TestApp, testApp } from './support/app.ts'
import { newOrganizationUser, people } from './support/people.ts'
import { hook, type QuotaCase, quotaCases as cases, slo } from './support/quota-cases.ts'

let nines: TestApp
afterEach(() => nines.close())

const api = '/api/v1'

async function start(quotas: Partial<Record<QuotaName, number>> = {}, env: Record<string, string> = {}) {
  const set = Object.entries(quotas).map(([name, limit]) => [settingOfQuota(name as QuotaName), String(limit)])
  nines = await testApp({ env: { ...Object.fromEntries(set), ...env } })
  await nines.join('ada')
}
const post = (path: string, body: unknown, token?: string) =>
  nines.call('POST', `${api}${path}`, body, token === undefined ? {} : { token })
const refused = (details: string) => ({ status: 409, body: { success: false, error: 'Quota exceeded', details } })
const idOf = ({ body }: Answer): number => (body.data ?? body).id

/** Creates the things that the cases need. */
async function prepare({ quota }: Pick<QuotaCase, 'quota'>) {
  if (quota !== 'slos') await post('/slos', slo)
  if (quota !== 'channels') await post('/notifications/channels', { name: 'c', ...hook })
}

describe('a quota', () => {
  test.each(cases)(
    'of $quota refuses what would be one too many, and takes one more once one has gone',
    async (one) => {
      const { quota, path, body, sentence, hasOne = false, remove } = one
      await start({ [quota]: 2 })
      await prepare(one)
      const first = await post(path, body(0))
      expect([200, 201]).toContain(first.status)
      if (!hasOne) expect([200, 201]).toContain((await post(path, body(1))).status)
      expect(await post(path, body(2))).toMatchObject(refused(`An organization may have at most 2 ${sentence}`))
      expect(await nines.app.metrics.exposition()).toContain(`nines_quota_refusals_total{quota="${quota}"} 1`)
      if (!remove) return
      expect((await nines.call('DELETE', `${api}${remove(idOf(first))}`)).status).toBe(200)
      expect([200, 201]).toContain((await post(path, body(2))).status)
    },
  )

  test.each(cases.filter(({ quota }) => !['rules', 'notifications', 'invitations_hourly'].includes(quota)))(
    'of $quota lets no two slip past that come at the same time',
    async (one) => {
      const { quota, path, body, hasOne = false } = one
      await start({ [quota]: hasOne ? 4 : 3 })
      await prepare(one)
      const answers = await Promise.all(Array.from({ length: 12 }, (_, n) => post(path, body(n))))
      expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(3).fill(201), ...Array(9).fill(409)])
    },
  )

  test('of users refuses who comes with an invitation, and leaves it open', async () => {
    await start({ users: 2 })
    const [first, second] = await Promise.all(
      ['bob', 'cyd'].map((name) => post('/organization/invitations', { email: `${name}@example.com`, role: 'viewer' })),
    )
    const come = (name: string, invitation: Answer | undefined) => {
      const account = { email: `${name}@example.com`, name, password: 'correct horse' }
      return post('/auth/register', { ...account, invitation_token: invitation?.body.token })
    }
    expect((await come('bob', first)).status).toBe(201)
    const sentence = 'An organization may have at most 2 users (QUOTA_USERS)'
    expect(await come('cyd', second)).toMatchObject(refused(sentence))
    await nines.call('DELETE', `${api}/organization/users/2`)
    expect((await come('cyd', second)).status).toBe(201)
  })

  test('is for each organization', async () => {
    await start({ slos: 1 })
    const eve = await newOrganizationUser(nines, 'eve')
    expect([(await post('/slos', slo)).status, (await post('/slos', slo)).status]).toEqual([201, 409])
    expect((await post('/slos', slo, eve.token)).status).toBe(201)
  })

  test('holds for an SLO that is restored', async () => {
    await start({ slos: 1 })
    const deleted = idOf(await post('/slos', slo))
    await nines.call('DELETE', `${api}/slos/${deleted}`)
    await post('/slos', slo)
    const restore = () => nines.call('PUT', `${api}/slos/${deleted}`, { active: true })
    expect(await restore()).toMatchObject(refused('An organization may have at most 1 SLOs (QUOTA_SLOS)'))
    expect((await nines.call('GET', `${api}/slos/${deleted}`)).body.active).toBe(false)
    await nines.call('DELETE', `${api}/slos/${deleted + 1}`)
    expect((await restore()).status).toBe(200)
  })

  test('that was lowered takes nothing away, and lets everything there is be changed', async () => {
    await start({ slos: 2, channels: 2 })
    for (const name of ['a', 'b']) {
      await post('/slos', slo)
      await post('/notifications/channels', { name, ...hook })
    }
    const { dataDir } = nines
    await nines.app.close()
    nines = await testApp({ dataDir, env: { QUOTA_SLOS: '1', QUOTA_CHANNELS: '1' } })
    const account = { email: 'ada@example.com', password: 'correct horse' }
    const { access_token: token } = (await post('/auth/login', account)).body
    const change = (path: string, body: object) => nines.call('PUT', `${api}${path}`, body, { token })
    expect((await change('/slos/2', { name: 'other', active: true })).status).toBe(200)
    expect((await change('/notifications/channels/2', { enabled: false })).status).toBe(200)
    expect((await change('/notifications/channels/2', { enabled: true })).status).toBe(200)
    expect((await post('/slos', slo, token)).status).toBe(409)
  })

  test('of silences counts none that has ended', async () => {
    await start({ silences: 1 })
    await post('/slos', slo)
    const silence = () => post('/notifications/silences', { slo_id: 1, duration_seconds: 60, comment: 'c' })
    expect([(await silence()).status, (await silence()).status]).toEqual([201, 409])
    nines.clock.advance(60_000)
    expect((await silence()).status).toBe(201)
  })

  test('of invitations an hour counts those that were withdrawn or replaced, and none that is an hour old', async () => {
    await start({ invitations_hourly: 2 })
    const invite = (email: string) => post('/organization/invitations', { email, role: 'viewer' })
    const first = await invite('a@example.com')
    await nines.call('DELETE', `${api}/organization/invitations/${idOf(first)}`)
    expect((await invite('b@example.com')).status).toBe(201)
    expect((await invite('b@example.com')).status).toBe(409)
    nines.clock.advance(3_600_000)
    expect((await invite('b@example.com')).status).toBe(201)
  })

  test('of notifications holds for what is sent again', async () => {
    await start({ notifications: 1 })
    await prepare({ quota: 'notifications' })
    const message = (subject: string) =>
      post('/notifications/rules', { slo_id: 1, channel_id: 1, alert_type: 'manual', subject, message: 'm' })
    const first = await message('one')
    await nines.app.db.write.updateTable('notifications').set({ status: 'delivered' }).execute()
    await message('two')
    expect((await post(`/notifications/${idOf(first)}/resend`, undefined)).status).toBe(409)
  })

  test('of cached bytes refuses a result that is larger alone', async () => {
    await start({ cache_bytes: 20 })
    const entry = { key: 'k', query: 'up', slo_id: 0, time_window: '1h', result: 'twenty and one bytes' }
    const sentence = 'An organization may have at most 20 bytes of cached results (QUOTA_CACHE_BYTES)'
    expect(await post('/cache/entry', entry)).toMatchObject(refused(sentence))
  })
})

describe('what is used', () => {
  test('is shown to administrators of the organization, and to nobody else', async () => {
    nines = await testApp({ env: { QUOTA_SLOS: '7' } })
    const { admin, member, stranger } = await people(nines)
    await post('/slos', slo, member.token)
    await post('/cache/entry', { key: 'k', query: 'up', slo_id: 0, time_window: '1h', result: 'abc' }, member.token)
    const ask = (token: string | null) => nines.call('GET', `${api}/organization/quotas`, undefined, { token })
    const { quotas } = (await ask(admin.token)).body
    const of = (name: string) => quotas.find((one: { name: string }) => one.name === name)
    expect(of('slos')).toEqual({ name: 'slos', limit: 7, used: 1 })
    expect(of('users')).toEqual({ name: 'users', limit: 2000, used: 3 })
    expect(of('cache_bytes')).toMatchObject({ used: 5 })
    expect(of('invitations_hourly')).toMatchObject({ used: 2 })
    expect(quotas).toHaveLength(quotaNames.length - 1)
    expect((await ask(stranger.token)).body.quotas.find((one: { name: string }) => one.name === 'slos').used).toBe(0)
    expect([(await ask(member.token)).status, (await ask(null)).status]).toEqual([403, 401])
  })

  test('is in /metrics as the share of the fullest organization, without a word of which that is', async () => {
    await start({ slos: 4 })
    await post('/slos', slo)
    const eve = await newOrganizationUser(nines, 'eve')
    for (let n = 0; n < 3; n += 1) await post('/slos', slo, eve.token)
    const { text } = await nines.call('GET', '/metrics', undefined, { token: null })
    const told = text.split('\n').filter((line) => line.startsWith('nines_quota'))
    expect(told).toContain('nines_quota_limit{quota="slos"} 4')
    expect(told).toContain('nines_quota_used_ratio_max{quota="slos"} 0.75')
    expect(told).toContain('nines_quota_limit{quota="samples_bytes"} 4294967296')
    expect(told.filter((line) => !/^nines_quota_\w+\{quota="\w+"\} [\d.e-]+$/.test(line))).toEqual([])
  })
})
