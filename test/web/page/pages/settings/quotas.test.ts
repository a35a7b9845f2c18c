import { expect, test } from 'bun:test'
import { quotaNames } from '../../../../../src/quotas.ts'
import { quotaLabel, shareUsed } from '../../../../../src/web/page/pages/settings/quotas/words.ts'

test('each quota has a name of its own', () => {
  const labels = quotaNames.map(quotaLabel)
  expect(new Set(labels).size).toBe(quotaNames.length)
  expect([quotaLabel('slos'), quotaLabel('channels'), quotaLabel('oauth_clients')]).toEqual([
    'SLOs',
    'Channels',
    'OAuth clients',
  ])
})

test('the share of a quota is in percent, and one without allowance is used up', () => {
  expect(
    [shareUsed({ used: 500, limit: 2000 }), shareUsed({ used: 0, limit: 0 })].map((text) => text.replace(/\s/, '')),
  ).toEqual(['25%', '100%'])
})
