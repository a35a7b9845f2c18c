import { expect, test } from 'bun:test'
import type { Channel } from '../../../../src/web/page/api/history.ts'
import {
  canBeDown,
  causeTitle,
  isNobody,
  listedCauses,
  type Recipient,
  reasonOf,
  remedyOf,
} from '../../../../src/web/page/slo/recipients/recipients.ts'

const recipient: Recipient = { channel_id: 1, by: 'default', rule_id: null, selector: null, priority: null }
const cause = (alert_type: string, severity: string | null, recipients: Recipient[] = []) => ({
  alert_type,
  severity,
  recipients,
})

test.each([
  ['burn_rate_too_fast', 'page', 'Page (urgent)'],
  ['burn_rate_too_fast', 'ticket', 'Ticket (can wait)'],
  ['error_budget_exhausted', 'critical', 'Budget used up'],
  ['recovery', null, 'Up again'],
] as const)('the cause %s of severity %s is called %s', (alert_type, severity, title) => {
  expect(causeTitle({ alert_type, severity })).toBe(title)
})

test.each([
  [{}, 'every SLO'],
  [{ by: 'rule', rule_id: 1 }, 'rule of this SLO'],
  [{ by: 'selector', rule_id: 1, selector: { all: true } }, 'rule for every SLO'],
  [{ by: 'selector', rule_id: 1, selector: { labels: { env: 'prod', tier: '1' } } }, 'rule for env=prod, tier=1'],
  [{ by: 'selector', rule_id: 1, selector: { team_id: 2 } }, 'rule for team Shop'],
  [{ by: 'selector', rule_id: 1, selector: { team_id: 9 } }, 'rule for team 9'],
] as const)('a channel that is notified by %j has the reason %p', (parts, reason) => {
  expect(reasonOf({ ...recipient, ...parts }, [{ id: 2, name: 'Shop' }])).toBe(reason)
})

test('nobody is notified where only the end of alerts is', () => {
  expect(isNobody([cause('down', 'critical'), cause('recovery', null, [recipient])])).toBe(true)
  expect(isNobody([cause('warning', 'warning', [recipient])])).toBe(false)
})

test('causes beyond the standard ones are listed where somebody is notified, an outage where the SLO can have one', () => {
  const causes = [cause('down', 'critical'), cause('violation', 'critical'), cause('warning', 'warning', [recipient])]
  const names = (canBeDown: boolean) => listedCauses(causes, canBeDown).map(({ alert_type }) => alert_type)
  expect([names(true), names(false)]).toEqual([['down', 'warning'], ['warning']])
  expect([canBeDown(null, 'avg(probe_success)'), canBeDown('up', null)]).toEqual([true, false])
  expect(canBeDown(null, 'heartbeat_runs_good_total{job="backup"}')).toBe(true)
})

test('the remedy is an enabled channel for every SLO, switching one on, or a new one', () => {
  const channel = (id: number, enabled: boolean, is_default = false) => ({ id, enabled, is_default }) as Channel
  expect(remedyOf([])).toEqual({ kind: 'add' })
  expect(remedyOf([channel(1, false)])).toEqual({ kind: 'enable' })
  const offered = channel(2, true)
  expect(remedyOf([channel(1, false), offered, channel(3, true, true)])).toEqual({
    kind: 'default',
    channels: [offered],
  })
})
