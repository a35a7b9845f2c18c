import { expect, test } from 'bun:test'
import { runCooperatively } from '../../../src/concurrency/cooperative.ts'
import { presentCoverage, writeCoverage } from '../../../src/notifications/rules/coverage-model.ts'
import { readCoverage } from '../../../src/notifications/rules/coverage.ts'
import { populatedApp } from '../../support/populated-app.ts'

const special = `"\\ \u0000\u0001\b\f\n\r\t\u001f\u007f \u2028 é 漢 😀 </script>`

test.each([
  ['short', 'a subject', 'a message'],
  ['short, and none', null, special],
  ['long', special, special.repeat(300)],
  ['long, without a subject', null, 'x'.repeat(20_000)],
])('coverage in pieces is the coverage, with texts that are %s', async (_, subject, message) => {
  const { nines, ada } = await populatedApp({ ada: 2 })
  const { read, write } = nines.app.db
  await write.updateTable('notification_rules').set({ subject, message }).execute()
  const coverage = await runCooperatively(ada.organizationId, readCoverage(read, ada.organizationId))
  const pieces: Uint8Array[] = []
  for await (const piece of writeCoverage(read, coverage)) {
    pieces.push(typeof piece === 'string' ? Buffer.from(piece) : piece)
  }
  expect(coverage.groups.length).toBeGreaterThan(0)
  expect(JSON.parse(Buffer.concat(pieces).toString())).toEqual(await presentCoverage(read, coverage))
  await nines.close()
})
