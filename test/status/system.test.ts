import { afterEach, beforeEach, expect, test } from 'bun:test'
import { version } from '../../package.json' with { type: 'json' }
import { settingVariables } from '../../src/config.ts'
import { type TestApp, testApp, testStartMs } from '../support/app.ts'

const secrets = {
  SMTP_URL: 'smtp://ada:tr0ub4dor@mail.example:25',
  METRICS_TOKEN: 'tr0ub4dor',
  REMOTE_WRITE_URL: 'http://127.0.0.1:9/write?token=tr0ub4dor',
  REMOTE_WRITE_PASSWORD: 'tr0ub4dor',
  REMOTE_WRITE_USERNAME: 'nines',
  OIDC_ISSUER: 'http://127.0.0.1:9',
  OIDC_CLIENT_ID: 'nines',
  OIDC_CLIENT_SECRET: 'tr0ub4dor',
}

let nines: TestApp
beforeEach(async () => {
  nines = await testApp({ env: { ...secrets, REGISTRATION: 'open' } })
  await nines.join('ada')
})
afterEach(() => nines.close())

const read = (token?: string) => nines.call('GET', '/api/v1/organization/system', undefined, token ? { token } : {})

test('the system has version, start, last backup, databases and every setting, without a secret', async () => {
  const { status, body, text } = await read()
  expect(status).toBe(200)
  expect(body).toEqual({
    version,
    started_at: new Date(testStartMs).toISOString(),
    last_backup_at: null,
    databases: ['nines.db', 'samples.db'].map((file) => ({
      file,
      bytes: expect.any(Number),
      wal_bytes: expect.any(Number),
      grown_bytes: expect.any(Number),
    })),
    settings: expect.any(Array),
  })
  expect(body.databases[0].bytes).toBeGreaterThan(0)
  const valueOf = Object.fromEntries(body.settings.map((one: { name: string; value: string }) => [one.name, one.value]))
  expect(Object.keys(valueOf).toSorted()).toEqual(settingVariables.map(([name = '']) => name).toSorted())
  expect([valueOf['RETENTION_DAYS'], valueOf['SMTP_URL']]).toEqual(['400', '********'])
  expect(valueOf['REMOTE_WRITE_URL']).toBe('http://127.0.0.1:9/write?…')
  expect(text).not.toContain('tr0ub4dor')
})

test('the origin of a setting is said where it is known', async () => {
  const origins = async () => {
    const { settings } = (await read()).body
    return settings.find(({ name }: { name: string }) => name === 'SMTP_URL').origin
  }
  expect(await origins()).toBeNull()
  await nines.close()
  nines = await testApp({ env: secrets, settingOriginOf: (name) => (name === 'SMTP_URL' ? 'file' : 'default') })
  await nines.join('ada')
  expect(await origins()).toBe('file')
})

test('administrators of other organizations, and others, may not read it', async () => {
  const eve = await nines.join('eve')
  const { status, body } = await read(eve)
  expect([status, body.error]).toEqual([403, 'Insufficient permissions'])
  await nines.app.db.write.updateTable('users').set({ role: 'member' }).execute()
  expect((await read()).status).toBe(403)
})
