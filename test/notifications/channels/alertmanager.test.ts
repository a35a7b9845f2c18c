import { expect, test } from 'bun:test'
import { alertmanagerPayload } from '../../../src/notifications/channels/alertmanager.ts'
import { aMessage } from '../../support/messages.ts'

test('a message about a rule fires nothing at a receiver of Alertmanager', () => {
  const message = aMessage({ event: 'message', isAboutRule: true, slo: null })
  const payload = alertmanagerPayload(message, { publicUrl: () => 'https://nines.example' })
  expect(payload).toMatchObject({ status: 'resolved', commonLabels: { severity: 'info' } })
})
