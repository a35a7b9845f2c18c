import { afterEach, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { passwordText } from '../../../src/cli/demo.ts'
import { createDemo } from '../../../src/cli/demo/new-demo.ts'
import { demoPassword } from '../../../src/cli/demo/seed.ts'
import { readConfig } from '../../../src/config.ts'
import { testApp } from '../../support/app.ts'
import { joinedApp } from '../../support/reused-app.ts'
import { closeAll } from '../../support/closing.ts'
import { newFolder } from '../../support/process.ts'

afterEach(closeAll)

const create = (dataDir: string, isStopping = false) =>
  createDemo(readConfig({ DATA_DIR: dataDir, LOG_LEVEL: 'error' }), {
    receiverUrl: 'http://127.0.0.1:9/',
    isStopping: () => isStopping,
  })

test('a data folder with an account is left as it is', async () => {
  const nines = await joinedApp()
  const { dataDir } = nines
  await nines.app.close()
  const before = readdirSync(dataDir).toSorted()
  await create(dataDir)
  expect(readdirSync(dataDir).toSorted()).toEqual(before)
})

test('a demo that was being made when nines was stopped leaves the data folder empty', async () => {
  const dataDir = newFolder()
  await create(dataDir, true)
  expect(readdirSync(dataDir)).toEqual(['nines.lock'])
}, 60_000)

const made = (dataDir: string, names: string[]) => {
  mkdirSync(join(dataDir, 'demo-made'))
  for (const name of names) writeFileSync(join(dataDir, 'demo-made', name), 'new')
}

test('a demo that has been made replaces a database without accounts', async () => {
  const dataDir = newFolder()
  for (const name of ['nines.db', 'nines.db-wal', 'samples.db']) writeFileSync(join(dataDir, name), 'old')
  made(dataDir, ['samples.db', 'demo.secret', 'nines.db'])
  await create(dataDir)
  expect(readdirSync(dataDir).toSorted()).toEqual(['demo.secret', 'nines.db', 'nines.lock', 'samples.db'])
  expect(readFileSync(join(dataDir, 'nines.db'), 'utf8')).toBe('new')
})

test('a demo that was half moved to its place at a kill is moved at the next start', async () => {
  const dataDir = newFolder()
  writeFileSync(join(dataDir, 'samples.db'), 'new')
  made(dataDir, ['demo.secret', 'nines.db'])
  await create(dataDir)
  expect(readdirSync(dataDir).toSorted()).toEqual(['demo.secret', 'nines.db', 'nines.lock', 'samples.db'])
  expect(readFileSync(join(dataDir, 'samples.db'), 'utf8')).toBe('new')
})

test('a start prints the password of the demo, and no longer once the account has another', async () => {
  const nines = await testApp()
  const password = demoPassword(nines.dataDir)
  const [demo, other] = await Promise.all([password, 'another one'].map(nines.app.passwords.hash))
  expect(await passwordText(nines.app, demo ?? null)).toBe(password)
  expect(await passwordText(nines.app, other ?? null)).toBe('the one that you have set')
  await nines.close()
})
