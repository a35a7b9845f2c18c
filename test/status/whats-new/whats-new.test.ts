import { afterEach, expect, test } from 'bun:test'
import { join } from 'node:path'
import { version } from '../../../package.json' with { type: 'json' }
import { rotateSeal } from '../../../src/db/sealing/keys.ts'
import { Database } from '../../../src/db/sqlite.ts'
import { presentWhatsNew } from '../../../src/status/whats-new/routes.ts'
import { recordStart } from '../../../src/status/whats-new/upgrade-store.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { closeAll, closeLater } from '../../support/closing.ts'
import { newFolder } from '../../support/process.ts'

afterEach(closeAll)

const path = '/api/v1/organization/system/whats-new'
const upgradeOf = async (nines: TestApp, token?: string) =>
  (await nines.call('GET', '/api/v1/auth/me', undefined, token === undefined ? {} : { token })).body.upgrade
const read = (nines: TestApp) => nines.call('GET', path)

async function started(dataDir: string, token: string | null = null): Promise<TestApp> {
  const nines = await testApp({ dataDir, token })
  closeLater(() => nines.close())
  return nines
}

/** A nines with the accounts of `names`, whose last start is then of another version. */
async function world(lastVersion: string, names = ['ada']) {
  const dataDir = newFolder()
  const before = await started(dataDir)
  const tokens = []
  for (const name of names) tokens.push(await before.join(name))
  const [token = ''] = tokens
  expect(await upgradeOf(before, token)).toBeUndefined()
  await before.app.close()
  wasStartedBy(dataDir, lastVersion)
  return { dataDir, token, tokens }
}

function wasStartedBy(dataDir: string, lastVersion: string | null): void {
  const db = new Database(join(dataDir, 'nines.db'))
  db.prepare('UPDATE instance SET version = ?').run(lastVersion)
  db.close()
}

/** Records a start of a version, as a later nines would. */
function startAs(dataDir: string, next: string): void {
  const db = new Database(join(dataDir, 'nines.db'))
  recordStart(db, next)
  db.close()
}

test('after an upgrade, an administrator learns it until the news is closed, also over restarts', async () => {
  const { dataDir, token } = await world('0.0.9')
  let nines = await started(dataDir, token)
  expect(await upgradeOf(nines)).toEqual({ from: '0.0.9', to: version })
  const { status, body } = await read(nines)
  expect([status, body.version, body.upgraded_from]).toEqual([200, version, '0.0.9'])
  expect(body.releases[0]).toMatchObject({ version, is_new: true, text: expect.stringContaining('# SLOs and budgets') })
  await nines.app.close()

  nines = await started(dataDir, token)
  expect(await upgradeOf(nines)).toEqual({ from: '0.0.9', to: version })
  expect((await nines.call('POST', `${path}/close`)).status).toBe(200)
  expect(await upgradeOf(nines)).toBeUndefined()
  const closed = (await read(nines)).body
  expect([closed.upgraded_from, closed.releases[0].is_new]).toEqual([null, false])
  await nines.app.close()

  nines = await started(dataDir, token)
  expect(await upgradeOf(nines)).toBeUndefined()
})

test.each([
  ['the same version', version],
  ['a downgrade', '999.0.0'],
])('%s is no news', async (_, lastVersion) => {
  const { dataDir, token } = await world(lastVersion)
  const nines = await started(dataDir, token)
  expect(await upgradeOf(nines)).toBeUndefined()
  expect((await read(nines)).body.upgraded_from).toBeNull()
})

test('a new installation has the changelog, and no news', async () => {
  const nines = await testApp()
  closeLater(() => nines.close())
  await nines.join('ada')
  expect(await upgradeOf(nines)).toBeUndefined()
  const { upgraded_from, releases } = (await read(nines)).body
  expect([upgraded_from, releases[0].version]).toEqual([null, version])
})

test('news of an earlier upgrade that was not closed is part of the next; a downgrade ends it', async () => {
  const { dataDir, token } = await world('0.0.8')
  startAs(dataDir, '0.0.9')
  let nines = await started(dataDir, token)
  expect(await upgradeOf(nines)).toEqual({ from: '0.0.8', to: version })
  await nines.app.close()
  startAs(dataDir, '0.0.7')
  nines = await started(dataDir, token)
  expect(await upgradeOf(nines)).toEqual({ from: '0.0.7', to: version })
})

test('all versions since the one before the upgrade are new', () => {
  const releases = ['0.10.0', '0.9.1', '0.9.0', '0.2.0'].map((of) => ({ version: of, releasedOn: null, text: '' }))
  const isNew = (upgradedFrom: string | null) =>
    presentWhatsNew(releases, upgradedFrom).releases.map(({ is_new }) => is_new)
  expect(isNew('0.2.0')).toEqual([true, true, true, false])
  expect(isNew('0.9.0')).toEqual([true, true, false, false])
  expect(isNew(null)).toEqual([false, false, false, false])
})

test('only administrators of the first organization learn it', async () => {
  const { dataDir, tokens } = await world('0.0.9', ['ada', 'eve'])
  const [ada = '', eve = ''] = tokens
  const nines = await started(dataDir)
  expect([await upgradeOf(nines, ada), await upgradeOf(nines, eve)]).toEqual([
    { from: '0.0.9', to: version },
    undefined,
  ])
  for (const [method, of] of [
    ['GET', path],
    ['POST', `${path}/close`],
  ] as const) {
    const { status, body } = await nines.call(method, of, undefined, { token: eve })
    expect([status, body.details]).toEqual([
      403,
      'must be an administrator of the first organization: this is about upgrades of the instance',
    ])
  }
  await nines.app.db.write.updateTable('users').set({ role: 'member' }).where('name', '=', 'ada').execute()
  expect(await upgradeOf(nines, ada)).toBeUndefined()
})

test('a rotation of the key keeps the version of the last start', async () => {
  const { dataDir, token } = await world('0.0.9')
  rotateSeal(dataDir)
  expect(await upgradeOf(await started(dataDir, token))).toEqual({ from: '0.0.9', to: version })
})
