import { afterEach, describe, expect, test } from 'bun:test'
import { closeAll, closeLater } from '../support/closing.ts'
import { type MailServer, startMailServer } from '../support/mail-server.ts'
import type { TestApp } from '../support/app.ts'
import { callLater, reportWorld } from './report-world.ts'
import { rulesOf } from '../support/rules-of.ts'

afterEach(closeAll)

const schedules = '/api/v1/reports/schedules'
const day = 86_400_000

async function world(env: Record<string, string> = {}): Promise<TestApp> {
  const nines = await reportWorld({ PUBLIC_URL: 'https://nines.example', ...env })
  closeLater(() => nines.close())
  return nines
}

const create = (nines: TestApp, more: object = {}) =>
  nines.call('POST', schedules, { name: 'For the board', interval: 'month', time_zone: 'Europe/Zurich', ...more })
const titles = async (nines: TestApp) => {
  const { body } = await callLater(nines, 'GET', '/api/v1/reports')
  return body.reports.map(({ title }: { title: string }) => title)
}
const clockTo = (nines: TestApp, iso: string) => nines.clock.jump(Date.parse(iso) - nines.clock.now())

describe('a schedule', () => {
  test('makes the report of a period once, half an hour after its end, with its name and scope', async () => {
    const nines = await world()
    expect((await create(nines, { selector: { team_id: 1 } })).status).toBe(201)
    await nines.app.reports.run()
    clockTo(nines, '2026-11-30T23:29:00Z')
    await nines.app.reports.run()
    expect(await titles(nines)).toEqual([])
    clockTo(nines, '2026-11-30T23:30:00Z')
    await nines.app.reports.run()
    await nines.app.reports.run()
    const { body } = await callLater(nines, 'GET', '/api/v1/reports')
    expect(body.reports).toMatchObject([
      { title: 'November 2026', name: 'For the board', status: 'ready', schedule_id: 1, selector: { team_id: 1 } },
    ])
  })

  test('makes up for the newest six periods after nines was off, and for none twice', async () => {
    const nines = await world()
    await create(nines, { interval: 'week', time_zone: 'UTC' })
    nines.clock.jump(70 * day)
    await nines.app.reports.run()
    await nines.app.reports.run()
    expect(await titles(nines)).toHaveLength(6)
    expect((await titles(nines))[0]).toBe('Week 48, 2026')
    nines.clock.jump(-7 * day)
    await nines.app.reports.run()
    expect(await titles(nines)).toHaveLength(6)
  })

  test('replaces its oldest report where the organization may have no more', async () => {
    const nines = await world({ QUOTA_REPORTS: '3' })
    await create(nines, { interval: 'week', time_zone: 'UTC' })
    await nines.call('POST', '/api/v1/reports', { interval: 'month', time_zone: 'Europe/Zurich' })
    nines.clock.jump(30 * day)
    await nines.app.reports.run()
    const all = await titles(nines)
    expect(all).toHaveLength(3)
    expect(all).toContain('October 2026')
  })

  test('that changes its interval goes on with the running period', async () => {
    const nines = await world()
    await create(nines)
    clockTo(nines, '2026-11-18T12:00:00Z')
    const { body } = await callLater(nines, 'PATCH', `${schedules}/1`, { interval: 'week' })
    expect(body.data).toMatchObject({ interval: 'week', made_until: '2026-11-15T23:00:00.000Z' })
    await nines.app.reports.run()
    expect(await titles(nines)).toEqual([])
  })

  test('that is deleted leaves its reports', async () => {
    const nines = await world()
    await create(nines)
    clockTo(nines, '2026-12-01T12:00:00Z')
    await nines.app.reports.run()
    expect((await callLater(nines, 'DELETE', `${schedules}/1`)).status).toBe(200)
    const { body } = await callLater(nines, 'GET', '/api/v1/reports/1')
    expect(body.data).toMatchObject({ schedule_id: null, status: 'ready' })
  })

  test('refuses channels of others, and those that open an incident for a message', async () => {
    const nines = await world()
    const configuration = { service: 'pagerduty', routing_key: 'a'.repeat(32) }
    const made = await nines.call('POST', '/api/v1/notifications/channels', {
      name: 'p',
      channel_type: 'pagerduty',
      configuration,
    })
    const id = made.body.channel?.id ?? made.body.data?.id ?? made.body.id
    const opening = await create(nines, { channel_ids: [id] })
    expect([opening.status, rulesOf(opening.body)]).toEqual([
      400,
      `channel_ids: must be channels for which a message opens no incident; ${id} opens one`,
    ])
    const unknown = await create(nines, { channel_ids: [77] })
    expect(rulesOf(unknown.body)).toBe('channel_ids: must be channels of your organization')
    expect((await nines.call('GET', schedules)).body.total).toBe(0)
  })
})

describe('the mail of a schedule', () => {
  async function mailed(env: Record<string, string> = {}): Promise<{ nines: TestApp; post: MailServer }> {
    const post = await startMailServer()
    closeLater(() => post.close())
    const nines = await world({ SMTP_URL: post.url, REGISTRATION: 'closed', ...env })
    const configuration = { to: 'board@example.com' }
    const channel = { name: 'Board', channel_type: 'email', configuration }
    const made = await nines.call('POST', '/api/v1/notifications/channels', channel)
    await create(nines, { channel_ids: [made.body.channel?.id ?? made.body.data?.id ?? made.body.id] })
    post.mails.length = 0
    return { nines, post }
  }

  test('has the figures, the link and the file', async () => {
    const { nines, post } = await mailed()
    clockTo(nines, '2026-12-01T12:00:00Z')
    await nines.app.reports.run()
    await nines.app.delivery.run()
    expect(post.mails).toHaveLength(1)
    const [mail] = post.mails
    expect(mail).toMatchObject({ to: ['board@example.com'] })
    expect(mail?.header).toContain('Subject: For the board: November 2026')
    expect(mail?.text).toContain('https://nines.example/reports/1')
    expect(mail?.text).toContain('Open the report')
    expect(mail?.body).toContain('filename=for-the-board-2026-11.html')
    const file = /text\/html; charset=utf-8; name=for-the-board-2026-11\.html[^]*?\r\n\r\n([A-Za-z0-9+/=\r\n]+)/.exec(
      mail?.body ?? '',
    )
    const html = Buffer.from(file?.[1]?.replaceAll(/\s/g, '') ?? '', 'base64').toString()
    expect(html).toStartWith('<!doctype html>')
    expect(html).toContain('November 2026')
    expect(html.trimEnd()).toEndWith('</html>')
  })

  test('is sent once, also where nines is killed between the report and the mail', async () => {
    const { nines, post } = await mailed()
    clockTo(nines, '2026-12-01T12:00:00Z')
    await nines.app.reports.run() // the mail is a row by now
    await nines.app.reports.run()
    await nines.app.delivery.run()
    await nines.app.delivery.run()
    expect(post.mails).toHaveLength(1)
  })
})
