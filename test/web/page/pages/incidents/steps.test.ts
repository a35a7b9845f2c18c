import { expect, test } from 'bun:test'
import { incidentSteps, notifiedWords, stepsOf } from '../../../../../src/web/page/pages/incidents/steps.ts'
import { alert, at, incident, sent } from '../../incidents/incident.ts'

const acknowledged = { by: 'Ada', at: at(-50), note: 'mine' }

test('what happened to an alert is in the order of time', () => {
  const steps = stepsOf({ began_at: at(-60), ended_at: at(-10), acknowledged }, [
    sent({ created_at: at(-59) }),
    sent({ event: 'recovery', created_at: at(-9), channel_name: null }),
  ])
  expect(steps.map(({ text }) => text)).toEqual([
    'The alert began',
    'On call was notified',
    'Ada acknowledged it: mine',
    'The alert ended',
    'A deleted channel was notified of the end',
  ])
})

const step = { by: null, note: null }

test('what happened in an incident is in the order of time, with what a relapse ended and without what was held back', () => {
  const steps = incidentSteps({
    ...incident({
      relapses: 1,
      began_at: at(-60),
      since: at(-30),
      state: 'closed',
      recovered_at: at(-20),
      closed_at: at(-5),
      close_reason: 'recovered',
    }),
    history: [
      { event: 'rose', at: at(-52), ...step },
      { event: 'acknowledged', at: at(-51), by: 'Bob', note: '' },
      { event: 'withdrawn', at: at(-50), by: 'Bob', note: null },
      { event: 'acknowledged', at: at(-49), by: 'Ada', note: 'mine' },
      { event: 'recovered', at: at(-43), ...step },
      { event: 'again', at: at(-30), ...step },
      { event: 'recovered', at: at(-20), ...step },
    ],
    alerts: [alert({ began_at: at(-58), ended_at: at(-45) })],
    notes: [{ id: 1, by: 'Bob', note: 'rolled back', created_at: at(-40) }],
    account: null,
    notifications: [
      sent({ incident_event: 'opened', created_at: at(-58), sent_at: at(-57) }),
      sent({ status: 'throttled', created_at: at(-56) }),
      sent({ incident_event: 'again', sent_at: at(-29) }),
      sent({ event: 'recovery', incident_event: 'recovered', sent_at: at(-19) }),
    ],
  })
  expect(steps.map(({ text }) => text)).toEqual([
    'It began to fail',
    'Page (urgent), 1\u2009h and 5\u2009min',
    'On call was notified',
    'It became critical',
    'Bob acknowledged it',
    'Bob took the acknowledgement back',
    'Ada acknowledged it: mine',
    'Page (urgent), 1\u2009h and 5\u2009min: no longer',
    'It was up again',
    'Bob noted: rolled back',
    'It failed again',
    'On call was notified that it fails again',
    'It was up again',
    'On call was notified that it is up again',
    'It was closed after 15 min without failures',
  ])
})

test('an incident whose SLO is paused while it is down is not said to be up again, nor its alerts to be over', () => {
  const closed = incident({ state: 'closed', closed_at: at(-1), close_reason: 'not_evaluated' })
  const steps = incidentSteps({
    ...closed,
    history: [],
    notes: [],
    account: null,
    alerts: [alert({ began_at: at(-8), ended_at: at(-1) })],
    notifications: [sent({ event: 'recovery', incident_event: 'recovered', sent_at: at(-1) })],
  })
  expect(steps.slice(-3).map(({ text }) => text)).toEqual([
    'Page (urgent), 1\u2009h and 5\u2009min: no longer checked',
    'On call was notified that it is not known to be up',
    'It was closed, not known to be up: its SLO is no longer evaluated',
  ])
})

test.each([
  [{ close_reason: 'by_hand', closed_by: 'Ada' } as const, 'Ada closed it'],
  [{ close_reason: 'not_evaluated' } as const, 'It was closed, not known to be up: its SLO is no longer evaluated'],
  [
    { close_reason: 'recovered', recovered_at: at(-5) } as const,
    'It was closed, up again: its SLO is no longer evaluated',
  ],
])('an incident with %p ends with %p', (change, text) => {
  const closed = {
    ...incident({ state: 'closed', closed_at: at(-1), ...change }),
    alerts: [],
    notes: [],
    history: [],
    account: null,
  }
  expect(incidentSteps({ ...closed, notifications: [] }).at(-1)?.text).toBe(text)
})

test.each([
  [{}, 'On call was notified'],
  [{ status: 'failed', incident_event: 'rose' }, 'On call could not be notified that it got worse'],
  [{ event: 'recovery', channel_name: '$& of #1' }, '$& of #1 was notified of the end'],
  [{ status: 'throttled' }, 'On call was not notified again'],
  [{ status: 'throttled', incident_event: 'again' }, 'On call was not notified again that it fails again'],
  [{ status: 'throttled', incident_event: 'recovered' }, 'On call was not notified again that it is up again'],
  [{ event: 'message', channel_name: null }, 'A deleted channel got a message'],
] as const)('a message with %p reads %p', (change, text) => {
  expect(notifiedWords(sent(change))).toBe(text)
})
