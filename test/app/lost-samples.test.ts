import { afterEach, expect, test } from 'bun:test'
import { cpSync, existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { renewSamples } from '../../src/db/data-folder/lost-database.ts'
import { openDatabase } from '../../src/db/open.ts'
import { openSamples } from '../../src/db/open-samples.ts'
import { testApp } from '../support/app.ts'
import { closeAll, closeLater } from '../support/closing.ts'
import { copyOf } from '../support/template-data-dir.ts'

afterEach(closeAll)

/** A data folder with a registered account, after a clean stop. */
async function used(): Promise<string> {
  const { app, join: register, dataDir } = await testApp({ env: { SOURCE_URL: 'embedded' } })
  closeLater(() => rmSync(dataDir, { recursive: true, force: true }))
  await register('ada')
  await app.close()
  return dataDir
}

const path = (dataDir: string) => join(dataDir, 'samples.db')
const samplesIn = (dataDir: string) => readdirSync(dataDir).filter((name) => name.startsWith('samples.db'))

/** Replaces the file by one as after a kill and the loss of its write-ahead log: nothing was checkpointed into it. */
function withoutItsLog(dataDir: string): void {
  rmSync(path(dataDir))
  const file = openSamples(dataDir)
  const killed = copyOf(dataDir)
  closeLater(() => rmSync(killed, { recursive: true, force: true }))
  file.close()
  cpSync(path(killed), path(dataDir))
}

test.each([
  ['missing', (dataDir: string) => rmSync(path(dataDir))],
  ['empty', (dataDir: string) => writeFileSync(path(dataDir), '')],
  ['without what was in its log', withoutItsLog],
])('a samples.db that is %s stops the start, which says what to do and changes nothing', async (_, lose) => {
  const dataDir = await used()
  lose(dataDir)
  const before = [samplesIn(dataDir), existsSync(path(dataDir)) && statSync(path(dataDir)).size]
  for (let start = 1; start <= 2; start += 1) {
    await expect(testApp({ dataDir })).rejects.toThrow(
      `${path(dataDir)}: missing or empty, and nines.db beside it belongs to one: restore a backup into an empty folder, or start once with nines serve --new-samples`,
    )
  }
  expect([samplesIn(dataDir), existsSync(path(dataDir)) && statSync(path(dataDir)).size]).toEqual(before)
  renewSamples(dataDir, 0)
  const { app, call } = await testApp({ dataDir })
  expect((await call('GET', '/ready')).status).toBe(200)
  await app.close()
})

test('a samples.db that is a copy of nines.db stops the start, which says what to do', async () => {
  const dataDir = await used()
  cpSync(join(dataDir, 'nines.db'), path(dataDir))
  await expect(testApp({ dataDir })).rejects.toThrow(
    `${path(dataDir)}: it does not hold the samples of nines, but looks like a nines.db: restore a backup into an empty folder, or move it away with its -wal and start once with nines serve --new-samples, which goes on without the past of the embedded source`,
  )
})

test('a first start that was cut off before it made samples.db goes on the next time', async () => {
  const { app, dataDir } = await testApp()
  closeLater(() => rmSync(dataDir, { recursive: true, force: true }))
  await app.close()
  rmSync(path(dataDir))
  const again = await testApp({ dataDir })
  expect((await again.call('GET', '/ready')).status).toBe(200)
  await again.app.close()
})

test('what is left of a lost samples.db is moved aside, and a new one is made', async () => {
  const dataDir = await used()
  rmSync(path(dataDir))
  for (const suffix of ['-wal', '-mark']) writeFileSync(`${path(dataDir)}${suffix}`, 'left')
  const aside = renewSamples(dataDir, 0) ?? ''
  expect(readdirSync(aside).toSorted()).toEqual(['samples.db-mark', 'samples.db-wal'])
  expect(readdirSync(dataDir).filter((name) => name.startsWith('samples.db'))).toEqual(['samples.db'])
})

test('a samples.db is not begun again where there is one, nor in a folder without nines.db', async () => {
  const dataDir = await used()
  const refused = '--new-samples is for a data folder that has lost its samples.db, but not its nines.db'
  expect(() => renewSamples(dataDir, 0)).toThrow(refused)
  for (const name of ['samples.db', 'nines.db']) rmSync(join(dataDir, name))
  expect(() => renewSamples(dataDir, 0)).toThrow(refused)
  expect(existsSync(path(dataDir))).toBe(false)
  await openDatabase({ dataDir }).close()
  expect(renewSamples(dataDir, 0)).toBeUndefined()
})
