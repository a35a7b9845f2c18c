import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { RuleGroup } from '../../../../../src/web/page/api/history.ts'
import type * as Save from '../../../../../src/web/page/pages/notify/rules/save-rules.ts'
import { fakeBrowser } from '../../api/fake-browser.ts'

let browser: ReturnType<typeof fakeBrowser>
let save: typeof Save // loaded once the browser globals exist

beforeAll(async () => {
  browser = fakeBrowser(() => Response.json({}))
  save = await import('../../../../../src/web/page/pages/notify/rules/save-rules.ts')
})
afterAll(() => browser.restore())

const draft: Save.RuleDraft = {
  channelId: 3,
  types: new Set(['burn_rate_too_fast', 'error_budget_low', 'appliance_condition']),
  severity: 'page',
  priority: 'auto',
  intervalSeconds: 900,
  slos: new Set([1, 2]),
  selector: null,
}

test('new rules are a setting for each kind of alert of SLOs, by their ids or by the selector', () => {
  const shared = { channel_id: 3, priority: 'auto', min_interval_seconds: 900 }
  expect(save.settingsOf(draft)).toEqual([
    { ...shared, alert_type: 'burn_rate_too_fast', slo_ids: [1, 2], severity: 'page' },
    { ...shared, alert_type: 'error_budget_low', slo_ids: [1, 2] },
  ])
  expect(save.settingsOf({ ...draft, types: new Set(['warning']), selector: { all: true } })).toEqual([
    { ...shared, alert_type: 'warning', selector: { all: true } },
  ])
})

test.each([
  ['nothing', {}, undefined, undefined],
  ['its SLOs', { slos: new Set() }, undefined, { slo_ids: 'Choose an SLO.' }],
  ['its labels', { selector: { labels: {} } }, undefined, { selector: 'Add a label.' }],
  ['its kinds', { types: new Set() }, undefined, { alert_type: 'Choose what it notifies of.' }],
  ['no kinds where it changes rules', { types: new Set() }, {}, undefined],
  [
    'no SLOs where it is about nines',
    { types: new Set(['appliance_condition']), slos: new Set() },
    undefined,
    undefined,
  ],
] as const)('a draft lacks %s', (_, change, group, missing) => {
  expect(save.missingOf({ ...draft, ...change } as Save.RuleDraft, group as RuleGroup | undefined)).toEqual(missing)
})
