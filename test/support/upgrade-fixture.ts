import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { prepareBackup, writeBackup } from '../../src/db/backup/write-backup.ts'
import { restoreBackup } from '../../src/db/backup/restore-backup.ts'
import { newDataDir, registration, testApp, testStartMs } from './app.ts'
import { closeLater } from './closing.ts'
import { checkout } from './slo-calls.ts'

/** What each fixture has: an account with its password, an SLO over the embedded source, a channel with a secret, and a rule. */
export const fixtureThings = {
  account: registration('ada'),
  slo: checkout,
  channel: { name: 'hook', channel_type: 'webhook', configuration: { webhook_url: 'http://127.0.0.1:9/secret' } },
}

/** Writes a data folder of this version as a backup, compressed by zstd. */
export async function writeFixture(file: string): Promise<void> {
  const nines = await testApp({ env: { SOURCE_URL: 'embedded' } })
  const { account, slo, channel } = fixtureThings
  const { body } = await nines.call('POST', '/api/v1/auth/register', account, { token: null })
  const send = async (path: string, sent: unknown) => {
    const { status, text, body: made } = await nines.call('POST', path, sent, { token: body.access_token })
    if (status !== 201) throw new Error(`${path}: ${text}`)
    return made
  }
  const { id: slo_id } = await send('/api/v1/slos', slo)
  const { data } = await send('/api/v1/notifications/channels', channel)
  await send('/api/v1/notifications/rules', { slo_id, channel_id: data.id, alert_type: 'violation' })
  const folder = mkdtempSync(join(tmpdir(), 'nines-fixture-'))
  try {
    const backup = join(folder, 'fixture.tar')
    const draft = prepareBackup({ dataDir: nines.dataDir, file: backup })
    await writeBackup({ dataDir: nines.dataDir, file: backup, nowMs: testStartMs }, draft.folder)
    draft.remove()
    writeFileSync(file, Bun.zstdCompressSync(readFileSync(backup), { level: 19 }))
  } finally {
    rmSync(folder, { recursive: true, force: true })
    await nines.close()
  }
}

/** Restores a fixture into a folder of its own, which is removed after the test. */
export async function restoreFixture(file: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'nines-fixture-'))
  closeLater(() => rmSync(folder, { recursive: true, force: true }))
  const backup = join(folder, 'fixture.tar')
  writeFileSync(backup, Bun.zstdDecompressSync(readFileSync(file)))
  const dataDir = newDataDir()
  closeLater(() => rmSync(dataDir, { recursive: true, force: true }))
  await restoreBackup(backup, dataDir)
  return dataDir
}
