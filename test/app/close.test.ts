import { afterEach, expect, test } from 'bun:test'
import { openApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { hasUser } from '../../src/auth/accounts/store.ts'
import { createLog } from '../../src/log.ts'
import { closeAll } from '../support/closing.ts'
import { newFolder } from '../support/process.ts'

afterEach(closeAll)

const log = createLog({ level: 'error', format: 'json', now: () => 0, write: () => {} })
const openIn = (folder: string) => openApp(readConfig({ DATA_DIR: folder, SOURCE_URL: '' }), { log })

test('what was built last ends first, each after the one before has ended', async () => {
  const app = openIn(newFolder())
  const ended: string[] = []
  app.onClose(async () => {
    await hasUser(app.db.read) // the database is still open
    ended.push('first')
  })
  app.onClose(async () => {
    await new Promise(setImmediate)
    ended.push('second')
  })
  await app.close()
  expect(ended).toEqual(['second', 'first'])
})

test('what fails to end keeps nothing else open, and is thrown at the end', async () => {
  const folder = newFolder()
  const app = openIn(folder)
  app.onClose(() => Promise.reject(new Error('disk is full')))
  await expect(app.close()).rejects.toThrow('disk is full')
  await openIn(folder).close() // nothing holds the folder
})
