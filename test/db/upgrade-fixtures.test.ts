import { afterEach, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { currentVersion, firstVersion } from '../../src/db/migrations.ts'
import { testApp } from '../support/app.ts'
import { closeAll } from '../support/closing.ts'
import { newFolder } from '../support/process.ts'
import { fixtureThings, restoreFixture, writeFixture } from '../support/upgrade-fixture.ts'

afterEach(closeAll)

// Fixtures of released schema versions, each written by the nines of that version: `NINES_FIXTURE=write bun test` of this file.
const folder = join(import.meta.dir, 'upgrades')
const isWriting = process.env['NINES_FIXTURE'] === 'write'
if (isWriting) mkdirSync(folder, { recursive: true })
const released = readdirSync(folder).filter((name) => name.endsWith('.tar.zst'))

/** Starts this nines on the data of a fixture, and reads what that must have. */
async function expectUpgraded(file: string): Promise<void> {
  const nines = await testApp({ dataDir: await restoreFixture(file), env: { SOURCE_URL: 'embedded' } })
  const { email, password } = fixtureThings.account
  const { status, body } = await nines.call('POST', '/api/v1/auth/login', { email, password }, { token: null })
  expect(status).toBe(200)
  const read = (path: string) => nines.call('GET', path, undefined, { token: body.access_token })
  expect((await read('/api/v1/slos')).body.slos).toMatchObject([
    { name: fixtureThings.slo.name, target: fixtureThings.slo.target, time_window: '30d' },
  ])
  expect((await read('/api/v1/notifications/channels')).body.data).toMatchObject([{ name: 'hook' }])
  expect((await read('/api/v1/notifications/rules')).body.data).toMatchObject([{ alert_type: 'violation' }])
  const changed = await nines.call('PUT', '/api/v1/slos/1', { target: 99.5 }, { token: body.access_token })
  expect(changed.status).toBe(200)
  expect(nines.logged.filter((line) => line.includes('"level":"error"'))).toEqual([])
  await nines.close()
}

test('a data folder of this schema version is written small, and starts again with all that it had', async () => {
  const file = join(isWriting ? folder : newFolder(), `schema-${currentVersion}.tar.zst`)
  await writeFixture(file)
  expect(statSync(file).size).toBeLessThan(100_000)
  await expectUpgraded(file)
})

for (const name of released) {
  test(`the data of ${name} are brought forward by a start, with accounts, SLOs and channels`, () =>
    expectUpgraded(join(folder, name)))
}

test('every schema version before this one has a fixture', () => {
  const missing = Array.from(
    { length: currentVersion - firstVersion },
    (_, at) => `schema-${firstVersion + at}.tar.zst`,
  )
  expect(missing.filter((name) => !released.includes(name))).toEqual([])
})
