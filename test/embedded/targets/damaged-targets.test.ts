import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { addCollected } from '../../support/collected-things.ts'
import { testApp } from '../../support/app.ts'
import { joinedApp } from '../../support/reused-app.ts'
import { childPages, overwritePage, rootPage } from '../../support/damage.ts'
import { listItems } from '../../../src/embedded/collection/collection.ts'

test('targets and probes whose rows are damaged keep no others from being collected', async () => {
  const before = await joinedApp()
  const url = 'http://127.0.0.1:1/'
  for (let at = 0; at < 60; at += 1) {
    const name = `${at} ${'long '.repeat(50)}`
    await addCollected(before.app, { name, organization_id: 1, url, nowMs: before.clock.now() })
  }
  await before.app.close()
  const path = join(before.dataDir, 'nines.db')
  for (const table of ['scrape_targets', 'probes']) overwritePage(path, childPages(path, rootPage(path, table))[1] ?? 0)
  const nines = await testApp({ dataDir: before.dataDir })
  const items = await listItems(nines.app)
  for (const kind of ['target', 'probe']) {
    const found = items.filter((item) => item.kind === kind).length
    expect(found).toBeGreaterThan(30)
    expect(found).toBeLessThan(60)
  }
  await nines.close()
})
