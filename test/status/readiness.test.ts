import { expect, test } from 'bun:test'
import { cpSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Database } from '../../src/db/sqlite.ts'
import { type Answer, testApp } from '../support/app.ts'

const failure = ({ status, body }: Answer) => [status, body]

test('readiness is withheld while another process has locked the database, and so are writes; both say so', async () => {
  const locked = await testApp()
  await locked.join('ada')
  const other = new Database(join(locked.dataDir, 'nines.db'))
  other.exec('begin immediate')
  const sentence = [503, { success: false, error: 'Database is locked by another process' }]
  const tried = locked.call('GET', '/ready')
  while (Bun.peek.status(tried) === 'pending') {
    locked.clock.advance(1000) // until the request has waited for the lock as long as it may
    await Bun.sleep(1)
  }
  expect(failure(await tried)).toEqual(sentence)
  expect(failure(await locked.call('POST', '/api/v1/organization/teams', { name: 'Shop' }))).toEqual(sentence)
  expect((await locked.call('GET', '/api/v1/slos')).status).toBe(200)
  for (const path of ['/api/v1/status/public', '/api/v1/health']) {
    const degraded = { status: 'degraded', services: { database: false } }
    expect((await locked.call('GET', path)).body).toMatchObject(degraded)
  }
  other.close()
  expect((await locked.call('POST', '/api/v1/organization/teams', { name: 'Shop' })).status).toBe(201)
  await locked.close()
})

test('whoever asks within a second after a try has its outcome, though the try took seconds', async () => {
  const locked = await testApp()
  const other = new Database(join(locked.dataDir, 'nines.db'))
  other.exec('begin immediate')
  const tried = locked.app.readiness()
  tried.catch(() => {}) // it is awaited below
  while (Bun.peek.status(tried) === 'pending') {
    locked.clock.advance(1000) // until it has waited for the lock as long as it may
    await Bun.sleep(1)
  }
  await expect(tried).rejects.toThrow('Database is locked by another process')
  other.close()
  locked.clock.advance(999)
  expect((await locked.call('GET', '/ready')).status).toBe(503)
  expect((await locked.call('GET', '/api/v1/status/public')).body.services.database).toBe(false)
  locked.clock.advance(1)
  expect((await locked.call('GET', '/ready')).status).toBe(200)
  await locked.close()
})

test.each([
  ['nines.db', 'is removed', (path: string) => rmSync(path)],
  ['samples.db', 'is replaced', (path: string) => (cpSync(path, `${path}.copy`), renameSync(`${path}.copy`, path))],
  ['nines.db', 'goes with its folder', (path: string) => rmSync(dirname(path), { recursive: true })],
])('readiness is withheld once %s %s', async (name, _, displace) => {
  const displaced = await testApp()
  expect((await displaced.call('GET', '/ready')).status).toBe(200)
  displace(join(displaced.dataDir, name))
  displaced.clock.advance(1000)
  expect(failure(await displaced.call('GET', '/ready'))).toEqual([
    503,
    {
      success: false,
      error: `${name} was moved, removed or replaced`,
      details: expect.stringContaining('until it is back at its place'),
    },
  ])
  expect(displaced.logged.join()).toContain('"condition began","condition":"data_folder_replaced"')
  expect((await displaced.call('GET', '/api/v1/status/public')).body.services.database).toBe(false)
  await displaced.close()
})
