import { afterEach, expect, test } from 'bun:test'
import { rmSync, watch } from 'node:fs'
import { join } from 'node:path'
import { Database } from '../../src/db/sqlite.ts'
import { closeAll, closeLater } from '../support/closing.ts'
import { launch, newFolder, startNines } from '../support/process.ts'

afterEach(closeAll)

test('while nines is stopping it still answers, and /ready says that it is', async () => {
  const nines = await startNines({ dataDir: newFolder(), env: { SHUTDOWN_GRACE: '300' } })
  expect((await nines.call('GET', '/api/v1/health')).body.status).toBe('ok')
  nines.kill('SIGTERM')
  await nines.said(/"message":"stopping"/)
  const { status, body } = await nines.call('GET', '/ready')
  expect([status, body.error]).toEqual([503, 'Shutting down'])
  expect((await fetch(`${nines.url}/health`)).status).toBe(200)
  nines.kill('SIGTERM')
  expect(await nines.exited).toBe(1)
}, 20_000)

test('a server that is stopped while it opens its data folder ends with exit code 0', async () => {
  const dataDir = newFolder()
  const before = await startNines({ dataDir })
  before.kill('SIGTERM')
  expect(await before.exited).toBe(0)
  rmSync(join(dataDir, 'nines.lock'))
  const held = new Database(join(dataDir, 'nines.db')) // the start waits for it, up to five seconds
  closeLater(() => held.close())
  held.pragma('locking_mode = EXCLUSIVE')
  held.exec('BEGIN IMMEDIATE')
  const opening = Promise.withResolvers<void>()
  const watcher = watch(dataDir, (_, name) => name === 'nines.lock' && opening.resolve())
  closeLater(() => watcher.close())
  const nines = launch({ dataDir })
  await opening.promise
  nines.kill('SIGTERM')
  held.close()
  expect(await nines.exited).toBe(0)
  expect(nines.log()).toContain('"message":"stopped"')
}, 20_000)
