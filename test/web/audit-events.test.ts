import { expect, test } from 'bun:test'
import { auditEvents } from '../../src/db/audit.ts'
import { events } from '../../src/web/page/pages/settings/audit/entries.ts'

test('the page offers each event that the audit log has', () => {
  expect(events).toEqual(auditEvents)
})
