import { expect, test } from 'bun:test'
import { outageChannelsAfter, recipientsOfDraft } from '../../../../../src/web/page/pages/slo-form/fields/own-rules.ts'
import type { Notified } from '../../../../../src/web/page/pages/slo-form/draft.ts'

const channels = [
  { id: 1, name: 'on call', channel_type: 'webhook', enabled: true },
  { id: 2, name: 'chat', channel_type: 'webhook', enabled: true },
  { id: 3, name: 'off', channel_type: 'webhook', enabled: false },
]
const inherited = (alert_type: string, severity: string | null, isStandard = true) => ({
  alert_type,
  severity,
  recipients: isStandard
    ? [{ channel_id: 1, by: 'default' as const, rule_id: null, selector: null, priority: null }]
    : [],
})
const ofEverySlo = {
  slo_id: null,
  channels: [],
  causes: [
    inherited('down', 'critical'),
    inherited('burn_rate_too_fast', 'page'),
    inherited('burn_rate_too_fast', 'ticket'),
    inherited('violation', 'critical', false),
    inherited('recovery', null),
  ],
}
const rule = (id: number, channel_id: number, alert_type: string, enabled = true) => {
  const channel = channels.find((one) => one.id === channel_id)
  if (!channel) throw new Error('must be a channel')
  return { id, channel_id, alert_type, severity: null, enabled, channel }
}
const recipients = (notify: Record<string, Notified>, rules: ReturnType<typeof rule>[] = [], canBeDown = false) =>
  Object.fromEntries(
    recipientsOfDraft(ofEverySlo, { notify }, rules, channels, canBeDown).causes.map(
      ({ alert_type, severity, recipients }) => [
        `${alert_type} ${severity}`,
        recipients.map(({ channel_id, by }) => `${channel_id} ${by}`),
      ],
    ),
  )

const standard = {
  'down critical': ['1 default'],
  'burn_rate_too_fast page': ['1 default'],
  'burn_rate_too_fast ticket': ['1 default'],
  'violation critical': [],
  'recovery null': ['1 default'],
}

test('a draft without rules of its own notifies by those of its labels and team', () => {
  expect(recipients({})).toEqual(standard)
})

test('a chosen channel is notified of its severities, also of the end, and of those that it leaves out no more', () => {
  expect(recipients({ 1: 'page', 2: null, 3: null })).toEqual({
    ...standard,
    'burn_rate_too_fast page': ['1 rule', '2 rule'],
    'burn_rate_too_fast ticket': ['2 rule'],
    'recovery null': ['1 default', '2 rule'],
  })
})

test('a channel that is chosen for an SLO that can be down is notified of its outages too, but for tickets', () => {
  expect(recipients({ 2: 'page', 3: 'ticket' }, [], true)).toMatchObject({
    'down critical': ['1 default', '2 rule'],
    'burn_rate_too_fast page': ['1 default', '2 rule'],
  })
  const burns = rule(1, 2, 'burn_rate_too_fast')
  const outages = rule(2, 2, 'violation')
  const after = (notify: Record<string, Notified>, rules: (typeof burns)[]) => [
    ...outageChannelsAfter(notify, rules, true),
  ]
  expect(after({ 2: null }, [burns])).toEqual([]) // as it was
  expect(after({ 2: 'page' }, [burns])).toEqual([2])
  expect(after({}, [burns, outages])).toEqual([])
  expect(after({ 2: 'ticket' }, [burns, outages])).toEqual([])
  expect(outageChannelsAfter({}, [burns, outages], false)).toEqual(new Set([2]))
})

test('a stored rule stays, a disabled one excludes, and a burn-rate rule that is no longer chosen is left out', () => {
  const stored = [
    rule(1, 2, 'slo_below_target'),
    rule(2, 1, 'violation', false),
    rule(3, 1, 'burn_rate_too_fast', false),
    rule(4, 2, 'burn_rate_too_fast'),
  ]
  expect(recipients({}, stored)).toEqual({
    'down critical': ['2 rule'],
    'burn_rate_too_fast page': [],
    'burn_rate_too_fast ticket': [],
    'violation critical': ['2 rule'],
    'recovery null': ['1 default', '2 rule'],
  })
})
