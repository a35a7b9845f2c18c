import { expect, test } from 'bun:test'
import type { RuleGroup } from '../../../../../src/web/page/api/history.ts'
import {
  bodyOf,
  defaultGroups,
  intervals,
  kindOf,
  selectedIds,
} from '../../../../../src/web/page/pages/notify/rules/rule-words.ts'
import { setsOf } from '../../../../../src/web/page/pages/notify/rules/sets.ts'

test('a rule reads as what it notifies of', () => {
  expect(kindOf({ alert_type: 'burn_rate_too_fast', severity: 'page' })).toBe('Burning too fast: Page (urgent)')
  expect(kindOf({ alert_type: 'error_budget_low', severity: null })).toBe('Budget low')
  expect(kindOf({ alert_type: 'appliance_condition', severity: null })).toBe('Certificates, and nines itself')
})

test('an interval that was set by the API is among those that are offered', () => {
  expect(intervals(0).map(({ seconds }) => seconds)).toEqual([0, 900, 3600, 14_400, 86_400])
  expect(intervals(600).map(({ label }) => label)).toContain('At most every 10\u2009min')
})

const shared = {
  channel_id: 3,
  alert_type: 'burn_rate_too_fast',
  severity: 'page',
  priority: 'high',
  subject: 's',
  message: null,
  max_retries: 12,
  min_interval_seconds: 900,
  enabled: false,
}
const group: RuleGroup = {
  ...shared,
  channel_name: 'x',
  channel_type: 'webhook',
  channel_enabled: true,
  by: 'rule',
  selector: null,
  rule_ids: [1],
  slo_ids: [4],
}

test('a group is stored with all that its rules share, and nothing of its channel', () => {
  expect(bodyOf(group, [4, 5])).toEqual({ ...shared, slo_ids: [4, 5] })
  const selecting: RuleGroup = { ...group, by: 'selector', selector: { team_id: 2 } }
  expect(bodyOf(selecting, [4, 5])).toEqual({ ...shared, selector: { team_id: 2 } })
})

test('groups of a default channel are one, of every SLO that one of them covers', () => {
  const ofDefault = (alert_type: string, slo_ids: number[]): RuleGroup => ({
    ...group,
    by: 'default',
    alert_type,
    rule_ids: [],
    slo_ids,
  })
  const [first, ...others] = defaultGroups([ofDefault('violation', [4, 5]), group, ofDefault('warning', [5, 6])])
  expect(first).toMatchObject({ channel_id: 3, selector: { all: true }, slo_ids: [4, 5, 6] })
  expect(others).toEqual([])
})

test.each([
  [{ all: true }, [1, 2, 3]],
  [{ labels: { env: 'prod' } }, [1, 2]],
  [{ labels: { env: 'prod', tier: '1' } }, [1]],
  [{ labels: { env: 'test' } }, []],
  [{ team_id: 2 }, [3]],
] as const)('the selector %j selects the SLOs %j', (selector, ids) => {
  const slos = [
    { id: 1, labels: { env: 'prod', tier: '1' }, team_id: 1 },
    { id: 2, labels: { env: 'prod' }, team_id: 1 },
    { id: 3, labels: {}, team_id: 2 },
  ]
  expect(selectedIds(selector, slos)).toEqual([...ids])
})

test('labels and teams are sets of SLOs, but those that all SLOs have', () => {
  const slo = (id: number, labels: Record<string, string>, team_name = 'Default') => ({ id, labels, team_name })
  expect(
    setsOf([slo(1, { tier: '1', env: 'prod' }), slo(2, { env: 'prod' }, 'Shop'), slo(3, { env: 'prod' })]),
  ).toEqual([
    { label: 'Team Default', ids: [1, 3] },
    { label: 'Team Shop', ids: [2] },
    { label: 'tier=1', ids: [1] },
  ])
})
