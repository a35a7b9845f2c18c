import { afterEach, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { testApp, type TestApp } from '../../support/app.ts'
import { closeAll, closeLater } from '../../support/closing.ts'
import { copyOf } from '../../support/template-data-dir.ts'

afterEach(closeAll)

/** A data folder that lost its write-ahead log after nines was killed, with the data of the last minute. */
async function lossy(): Promise<{ dataDir: string; token: string }> {
  const first = await testApp()
  closeLater(() => rmSync(first.dataDir, { recursive: true, force: true }))
  const token = await first.join('ada')
  await first.app.close()
  const nines = await testApp({ dataDir: first.dataDir })
  await nines.app.markCommits()
  await nines.call('POST', '/api/v1/teams', { name: 'Lost' }, { token })
  const dataDir = copyOf(first.dataDir)
  closeLater(() => rmSync(dataDir, { recursive: true, force: true }))
  await nines.app.close()
  rmSync(join(dataDir, 'nines.db-wal'))
  return { dataDir, token }
}

async function conditionsOf({ app, call }: TestApp) {
  await app.selfMonitoring.watch()
  return (await call('GET', '/api/v1/health')).body.conditions
}

async function alertOf({ call }: TestApp, token: string) {
  const { body } = await call('GET', '/api/v1/notifications/alerts', undefined, { token })
  return body.alerts.find(({ name }: { name: string }) => name === 'condition:commits_missing')
}

test('commits that were lost with the log are in the log and a condition, until its alert is acknowledged', async () => {
  const { dataDir, token } = await lossy()
  const first = await testApp({ dataDir })
  expect(first.logged.join()).toContain('"commits may be missing","file":"nines.db","since":null,"noted_at":"2026-')
  expect(await conditionsOf(first)).toEqual([
    expect.objectContaining({
      name: 'commits_missing',
      message: expect.stringContaining('nines.db has lost commits that were on the disk: what was stored until 2026-'),
      advice: expect.stringContaining('then acknowledge the alert condition:commits_missing'),
    }),
  ])
  await first.app.markCommits()
  await first.app.close()
  const second = await testApp({ dataDir })
  expect(await conditionsOf(second)).toHaveLength(1)
  const { id, severity } = await alertOf(second, token)
  expect(severity).toBe('critical')
  await second.call('POST', `/api/v1/notifications/alerts/${id}/acknowledge`, {}, { token })
  expect(await conditionsOf(second)).toEqual([])
  expect(await alertOf(second, token)).toBeUndefined()
  await second.app.close()
  const third = await testApp({ dataDir })
  expect(await conditionsOf(third)).toEqual([])
  expect(third.logged.join()).not.toContain('commits may be missing')
  await third.app.close()
})

test('an acknowledgement of an earlier loss is none of a later one', async () => {
  const { dataDir, token } = await lossy()
  const first = await testApp({ dataDir })
  await conditionsOf(first)
  const { id } = await alertOf(first, token)
  await first.call('POST', `/api/v1/notifications/alerts/${id}/acknowledge`, {}, { token })
  await first.app.close() // before a check saw the acknowledgement
  const later = await testApp({ dataDir, startMs: 1_795_255_200_000 + 3_600_000 })
  expect(await conditionsOf(later)).toHaveLength(1)
  await later.app.close()
})
