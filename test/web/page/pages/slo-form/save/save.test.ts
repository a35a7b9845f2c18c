import { afterAll, beforeAll, expect, test } from 'bun:test'
import type * as Save from '../../../../../../src/web/page/pages/slo-form/save/save.ts'
import { fakeBrowser } from '../../../api/fake-browser.ts'

let browser: ReturnType<typeof fakeBrowser>
let ruleSettings: typeof Save.ruleSettings // loaded once the browser globals exist

beforeAll(async () => {
  browser = fakeBrowser(() => Response.json({}))
  ;({ ruleSettings } = await import('../../../../../../src/web/page/pages/slo-form/save/save.ts'))
})
afterAll(() => browser.restore())

const rule = (channel_id: number) => ({ channel_id, alert_type: 'burn_rate_too_fast' })

test('channels of an SLO that are new, differ or go are settings of one request', () => {
  const before = { 1: null, 2: 'page', 3: 'ticket' } as const
  const after = { 1: null, 2: 'ticket', 4: 'page' } as const
  expect(ruleSettings([7], after, before)).toEqual([
    { ...rule(3), slo_ids: [], remove_slo_ids: [7] },
    { ...rule(2), slo_ids: [7], severity: 'ticket', enabled: true },
    { ...rule(4), slo_ids: [7], severity: 'page', enabled: true },
  ])
})

test('channels that stay as they are send nothing', () => {
  expect(ruleSettings([7], { 1: null }, { 1: null })).toEqual([])
})
