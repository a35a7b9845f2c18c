import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestApp } from '../support/app.ts'
import { joinedApp } from '../support/reused-app.ts'
import { goodTypes, webhookTo } from '../support/good-configurations.ts'
import { startReceiver } from '../support/receiver.ts'
import { rulesOf } from '../support/rules-of.ts'

let nines: TestApp
beforeEach(async () => {
  nines = await joinedApp()
})
afterEach(() => nines.close())

const channels = '/api/v1/notifications/channels'
const change = (body: unknown) => nines.call('PUT', `${channels}/1`, body)

/** Unsealed configuration, as used for sending. */
async function stored() {
  const row = await nines.app.db.read.selectFrom('channels').selectAll().executeTakeFirstOrThrow()
  const text = nines.app.seal.unseal(row.sealed_configuration, 'channels.sealed_configuration', row)
  return { channel_type: row.channel_type, configuration: JSON.parse(text) }
}

describe.each(goodTypes)('the secrets of %s', (channel_type, { configuration, secrets, shown, elsewhere }) => {
  const name = 'on call'
  beforeEach(async () => {
    expect((await nines.call('POST', channels, { name, channel_type, configuration })).status).toBe(201)
  })
  const masked = { ...configuration, ...shown }
  const again = /^configuration\.[\w.-]+: must be the secret itself/

  test('are masked wherever the channel is shown', async () => {
    expect((await stored()).configuration).toMatchObject(configuration)
    const answers = [
      await nines.call('GET', channels),
      await nines.call('GET', `${channels}/1`),
      await change({ name }),
    ]
    for (const { text, body } of answers) {
      const data = Array.isArray(body.data) ? body.data[0] : body.data
      expect([data.configuration, data.config]).toEqual([masked, masked])
      expect(secrets.filter((secret) => text.includes(secret))).toEqual([])
    }
  })

  test('stay when they come back masked', async () => {
    const before = await stored()
    const { body } = await nines.call('GET', `${channels}/1`)
    expect((await change(body.data)).body.data).toMatchObject({ configuration: masked })
    expect(await stored()).toEqual(before)
  })

  test('are not sent elsewhere than they were meant for', async () => {
    const before = await stored()
    const { status, body, text } = await change({ configuration: { ...masked, ...elsewhere } })
    expect([status, body.details]).toEqual([400, expect.stringMatching(again)])
    expect(secrets.filter((secret) => text.includes(secret))).toEqual([])
    expect(await stored()).toEqual(before)
  })

  test('masked at creation are refused', async () => {
    const { status, body } = await nines.call('POST', channels, { name, channel_type, configuration: masked })
    expect([status, body.details]).toEqual([400, expect.stringMatching(again)])
  })
})

const hook = webhookTo('https://receiver.example', { headers: { 'X-Key': 's3cretKey' } })

test('a mask stands for the header of its own name only', async () => {
  await nines.call('POST', channels, hook)
  for (const name of ['X-Other', 'constructor', 'x-key']) {
    const { webhook_url } = hook.configuration
    const body = `{"configuration":{"webhook_url":"${webhook_url}","headers":{"${name}":"********"}}}`
    expect([name, rulesOf((await change(body)).body)]).toEqual([
      name,
      expect.stringContaining(`configuration.headers.${name}: must be the secret itself`),
    ])
  }
})

test('new secrets are stored beside kept ones, and what is left out is removed', async () => {
  await nines.call('POST', channels, hook)
  await change({ configuration: { webhook_url: '********', headers: { 'X-Key': '********', 'X-New': 'n3w' } } })
  expect((await stored()).configuration).toEqual({
    webhook_url: hook.configuration.webhook_url,
    format: 'nines',
    headers: { 'X-Key': 's3cretKey', 'X-New': 'n3w' },
  })
})

test('secrets are nowhere in the clear: not in the data folder, the log, or any answer', async () => {
  const receiver = startReceiver(({ path, headers }) => {
    const error = `no ${path} for ${headers.get('authorization')} ${headers.get('x-team')}`
    return Response.json({ error }, { status: 403 })
  })
  const secrets = goodTypes.flatMap(([, { secrets: texts }]) => texts)
  const answers: string[] = []
  for (const [channel_type, { configuration }] of goodTypes) {
    const local =
      channel_type === 'webhook' ? { webhook_url: `${receiver.url}/alerts/s3cretPath?key=s3cretParameter` } : {}
    const body = { name: channel_type, channel_type, configuration: { ...configuration, ...local } }
    const created = await nines.call('POST', channels, body)
    answers.push(created.text)
    if (channel_type !== 'webhook') continue
    const send = { channel_id: created.body.data.id, subject: 'a', message: 'b' }
    const failed = await nines.call('POST', '/api/v1/notifications/test', send)
    expect([failed.status, failed.body.details]).toEqual([500, expect.stringContaining('answered 403: no ********')])
    answers.push(failed.text, (await nines.call('GET', channels)).text)
  }
  answers.push((await nines.call('GET', '/api/v1/audit-log?page_size=100')).text)
  receiver.close()

  const files = readdirSync(nines.dataDir)
  const places: Record<string, string> = {
    ...Object.fromEntries(files.map((name) => [name, readFileSync(join(nines.dataDir, name), 'latin1')])),
    log: nines.logged.join(''),
    answers: answers.join(''),
  }
  expect(places['nines.db-wal']).toContain('chat_hook_a')
  const spellings = secrets.flatMap((each) => [each, Buffer.from(each).toString('base64').replace(/..=*$/, '')])
  for (const [place, text] of Object.entries(places)) {
    expect([place, spellings.filter((each) => text.includes(each))]).toEqual([place, []])
  }
})
