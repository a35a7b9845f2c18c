import { expect, test } from 'bun:test'
import { createOpsgenie } from '../../../../src/notifications/channels/incident/opsgenie.ts'
import { pagerduty } from '../../../../src/notifications/channels/incident/pagerduty.ts'
import { closeLater } from '../../../support/closing.ts'
import { aMessage, anAcknowledgement, channelDeps } from '../../../support/messages.ts'
import { genie, jsm, startOpsgenie, startOpsgenieJsm } from '../../../support/receivers/opsgenie.ts'
import { routingKey, startPagerDuty } from '../../../support/receivers/pagerduty.ts'

const key = 'slo-7-burn_rate:3600:300'
const soon = () => AbortSignal.timeout(20_000)
const { subject, text } = anAcknowledgement()

test('PagerDuty: an acknowledgement acknowledges the incident of its alert, by its key alone', async () => {
  const receiver = startPagerDuty()
  closeLater(() => receiver.close())
  const configuration = { routing_key: routingKey, api_url: receiver.url }
  await pagerduty.send(channelDeps(), configuration, aMessage(), soon())
  expect(await pagerduty.send(channelDeps(), configuration, anAcknowledgement(), soon())).toEqual({
    outcome: 'delivered',
    statusCode: 202,
  })
  expect(receiver.acknowledged()).toEqual([key])
  expect(receiver.received.at(-1)?.json).toEqual({
    routing_key: routingKey,
    event_action: 'acknowledge',
    dedup_key: key,
  })
})

test.each([
  ['Opsgenie', genie, startOpsgenie, { source: 'nines', note: `${subject}\n${text}` }],
  ['Jira Service Management', jsm, startOpsgenieJsm, undefined],
] as const)('%s: an acknowledgement acknowledges the open alert, and creates none', async (_, mode, start, body) => {
  const receiver = start()
  closeLater(() => receiver.close())
  const { send } = createOpsgenie({ againMs: 1 })
  const configuration = { ...mode, api_url: receiver.url }
  await send(channelDeps(), configuration, aMessage(), soon())
  expect(await send(channelDeps(), configuration, anAcknowledgement(), soon())).toMatchObject({ outcome: 'delivered' })
  expect([receiver.acknowledged(), receiver.created()]).toEqual([[key], [key]])
  expect(receiver.received.at(-1)).toMatchObject({ path: expect.stringContaining('/acknowledge') })
  expect(receiver.received.at(-1)?.json ?? undefined).toEqual(body)
})
