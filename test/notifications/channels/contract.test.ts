import { afterEach, expect, test } from 'bun:test'
import type { ConfigurationInput, Message } from '../../../src/notifications/channels/channel.ts'
import { channelTypes } from '../../../src/notifications/channels/index.ts'
import { redact } from '../../../src/notifications/redact.ts'
import { closeAll, closeLater } from '../../support/closing.ts'
import { aMessage, channelDeps, someData } from '../../support/messages.ts'
import { outcomeOfRefusal, refuse } from '../../support/receivers/refusal.ts'
import { type Contract, contracts } from './contracts.ts'

afterEach(closeAll)

function open({ type, start, configuration: configurationOf }: Contract) {
  const receiver = start()
  closeLater(() => void receiver.close())
  const configuration = configurationOf(receiver)
  const send = (message: Message, changes: ConfigurationInput = {}) =>
    type.send(channelDeps(), { ...configuration, ...changes }, message, AbortSignal.timeout(20_000))
  return { receiver, configuration, send }
}

/** An alert with a subject, a text and an SLO of that text. */
function alertOf(text: string): Message {
  const subject = text.replaceAll('\n', ' ')
  const slo = { id: 7, data: someData({ slo_name: subject }), link: 'https://nines.example/slos/7' }
  return aMessage({ subject, text, slo })
}

const all = Object.entries(contracts)

test('every channel type has a contract, except for mail and webhooks, whose receivers anybody writes', () => {
  const held = new Set(all.map(([, { type }]) => type))
  const without = Object.entries(channelTypes).flatMap(([name, type]) => (held.has(type) ? [] : [name]))
  expect(without).toEqual(['email', 'webhook'])
})

const refusals = all.flatMap(([name, contract]) =>
  Object.entries(contract.refusals).map(([answer, refusal]) => [name, answer, { contract, refusal }] as const),
)
test.each(refusals)('%s: the documented answer %s has its outcome', async (_, __, { contract, refusal }) => {
  const { receiver, send } = open(contract)
  receiver.next(() => refuse(refusal))
  expect(await send(aMessage())).toEqual(outcomeOfRefusal(refusal))
  expect(receiver.received).toHaveLength(1)
})

const denying = all.flatMap(([name, { denied, ...contract }]) =>
  denied ? [[name, { ...contract, denied }] as const] : [],
)
test.each(denying)(
  '%s: wrong credentials and unknown places fail for good, and no error holds them',
  async (_, contract) => {
    const { receiver, send } = open(contract)
    const all = contract.denied(receiver)
    expect(all).not.toEqual([])
    for (const [changes, statusCode, said] of all) {
      const outcome = await send(aMessage(), changes)
      expect(outcome).toMatchObject({ outcome: 'failed', statusCode, error: expect.stringContaining(said) })
      const secrets = contract.type.secrets.flatMap((key) => changes[key] ?? [])
      for (const secret of secrets) expect(JSON.stringify(outcome)).not.toContain(secret)
    }
  },
)

test.each(all)('%s: secrets stay out of errors, even where the receiver repeats them', async (_, contract) => {
  const { answer, changes, error, secrets } = contract.repeats
  const { receiver, configuration, send } = open(contract)
  receiver.next(answer)
  const outcomes = [await send(aMessage(), changes)]
  await receiver.close()
  outcomes.push(await send(aMessage(), changes))
  expect(outcomes.map(({ outcome }) => outcome)).toEqual(['failed', 'retry'])
  const opened = { type: contract.type, configuration: { ...configuration, ...changes } }
  const shown = outcomes.map((outcome) => redact('error' in outcome ? outcome.error : '', opened))
  for (const text of shown) expect(text).not.toMatch(secrets)
  expect(shown[0]).toStartWith(error ?? 'the receiver answered ')
})

const accepting = all.flatMap(([name, { accepts = [], ...contract }]) =>
  accepts.map((answer) => [name, ...answer, contract] as const),
)
test.each(accepting)('%s: the answer %i %p is an acknowledgement', async (_, status, body, contract) => {
  const { receiver, send } = open(contract)
  receiver.next(() => new Response(body, { status }))
  expect(await send(aMessage())).toEqual({ outcome: 'delivered', statusCode: status })
})

const showing = all.flatMap(([name, { texts, ...contract }]) =>
  texts ? [[name, { ...contract, texts }] as const] : [],
)
const markup =
  '<!channel> <@&1> @everyone @room <users/all> <at>all</at> <b>a</b> < b && c > d &amp; **b** [x](https://evil.example) __u__ *i* ~~s~~ ||p|| `c` \\*'
test.each(showing)('%s: markup in names and texts stays text, and calls nobody', async (_, contract) => {
  const { receiver, send } = open(contract)
  expect(await send(alertOf(markup))).toEqual(contract.accepted)
  const shown = contract.texts(receiver)
  expect(new Set(shown)).toEqual(new Set([markup]))
  for (const [actual, expected] of contract.markup?.(receiver) ?? []) expect(actual).toEqual(expected)
})

const cutting = showing.flatMap(([name, { cut, ...contract }]) =>
  cut ? cut.units.map((unit) => [name, unit, { ...contract, cut }] as const) : [],
)
test.each(cutting)(
  '%s: a text of nothing but %j is cut visibly, and never inside a character',
  async (_, unit, contract) => {
    const { receiver, send } = open(contract)
    const long = unit.repeat(contract.cut.times)
    expect(await send(alertOf(long))).toEqual(contract.accepted)
    const shown = contract.texts(receiver)
    expect(shown.length).toBeGreaterThan(1)
    for (const text of shown) {
      expect(text).toEndWith('…')
      expect(text.isWellFormed()).toBe(true)
      expect(withoutSpaces(long)).toStartWith(withoutSpaces(text.slice(0, -1)))
    }
    const [size, min, max] = contract.cut.size(receiver, unit)
    expect(size).toBeWithin(min, max + 1)
  },
)

const keeping = showing.filter(([, { cut }]) => !cut)
test.each(keeping)('%s: a long text stays whole', async (_, contract) => {
  const { receiver, send } = open(contract)
  const text = 'ü🔥'.repeat(10_000)
  expect(await send(aMessage({ text }))).toEqual(contract.accepted)
  expect(contract.texts(receiver)[1]).toBe(text)
})

function withoutSpaces(text: string): string {
  return text.replace(/\s/g, '')
}
