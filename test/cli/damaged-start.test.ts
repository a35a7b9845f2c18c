import { afterEach, expect, test } from 'bun:test'
import { join } from 'node:path'
import { closeAll } from '../support/closing.ts'
import { childPages, overwritePage, rootPage } from '../support/damage.ts'
import { launch, newFolder, startNines } from '../support/process.ts'

afterEach(closeAll)

async function usedFolder(): Promise<string> {
  const dataDir = newFolder()
  const nines = await startNines({ dataDir })
  await nines.said(/"integrity check passed","file":"samples.db"/)
  nines.kill('SIGTERM')
  expect(await nines.exited).toBe(0)
  return dataDir
}

test('a page that nobody has read yet is found after the start, and /ready says where', async () => {
  const dataDir = await usedFolder()
  const path = join(dataDir, 'nines.db')
  overwritePage(path, rootPage(path, 'notification_attempts'))
  const nines = await startNines({ dataDir })
  await nines.said(/"integrity check failed"/)
  const { status, body } = await nines.call('GET', '/ready')
  expect([status, body.error]).toEqual([
    503,
    expect.stringContaining('nines.db is damaged: table notification_attempts'),
  ])
  nines.kill('SIGTERM')
  expect(await nines.exited).toBe(0)
}, 30_000)

test('a database of which nothing can be read stops the start with a sentence that names the file and what helps', async () => {
  const dataDir = await usedFolder()
  const path = join(dataDir, 'nines.db')
  overwritePage(path, childPages(path, 1)[0] ?? 0)
  const nines = launch({ dataDir })
  expect(await nines.exited).toBe(1)
  expect(nines.log()).toStartWith(`nines: ${path}: database disk image is malformed: it is damaged; `)
  expect(nines.log()).toContain('`nines restore FILE` into an empty folder')
}, 30_000)
