import { expect, test } from 'bun:test'
import { networkInterfaces } from 'node:os'
import { createOutbound } from '../../src/http/outbound/outbound.ts'
import { outboundFailure, resolveTo } from '../support/outbound-world.ts'

test.each([
  ['mail.example', ['10.0.0.1', '::1'], ['10.0.0.1', '::1']],
  ['10.0.0.2', [], ['10.0.0.2']],
  ['2001:db8::1', [], ['2001:db8::1']],
])('%s has the addresses to connect to', async (host, known, addresses) => {
  expect(await createOutbound({ deny: ['127.0.0.0/8'], ...resolveTo(...known) }).resolve(host, 25)).toEqual(addresses)
})

test.each([
  ['mail.example', ['10.0.0.1', '127.0.0.1'], 'forbidden', 'the address of the host is denied (OUTBOUND_DENY)'],
  ['0x7f.1', [], 'forbidden', 'the address 127.0.0.1 is denied (OUTBOUND_DENY)'],
  ['::ffff:127.0.0.1', [], 'forbidden', expect.stringContaining('is denied (OUTBOUND_DENY)')],
  ['0.0.0.0', [], 'forbidden', 'the address 0.0.0.0 is denied (OUTBOUND_DENY)'],
  ['mail.example', [], 'unreachable', 'host name not found'],
] as const)('%s at %p is not given: %s', async (host, known, failure, message) => {
  const resolving = createOutbound({ deny: ['127.0.0.0/8'], ...resolveTo(...known) }).resolve(host, 25)
  expect(await outboundFailure(resolving)).toEqual({ failure, message })
})

test('the wait for a resolver ends with the signal', async () => {
  const { promise } = Promise.withResolvers<string[]>()
  const impatient = new AbortController()
  const resolving = createOutbound({ deny: [], lookup: () => promise }).resolve('mail.example', 25, {
    signal: impatient.signal,
  })
  impatient.abort(new Error('too late'))
  await expect(resolving).rejects.toThrow('too late')
})

const interfaces = Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address))

test.each([
  [['8.8.8.8'], '8.8.8.8', true],
  [['192.0.2.1', '8.8.8.8'], '::ffff:8.8.8.8', true],
  [['64:ff9b::808:808'], '8.8.8.8', true],
  [['2600::1'], '2600:0::1', true],
  [['8.8.8.8'], '8.8.4.4', false],
  [['127.0.0.2'], '::1', true],
  [['0.0.0.0'], '127.0.0.1', true],
  [interfaces, '127.0.0.1', true],
  [['8.8.8.8'], '127.0.0.1', false],
] as const)('whether %j is where %s is: %p', async (addresses, host, isThere) => {
  const { isAt } = createOutbound({ deny: ['0.0.0.0/0'], ...resolveTo(host) })
  expect(await isAt(host, [...addresses])).toBe(isThere)
  expect(await isAt('relay.example', [...addresses])).toBe(isThere)
})

test('where a host without addresses is cannot be said', async () => {
  expect(
    await outboundFailure(createOutbound({ deny: [], ...resolveTo() }).isAt('relay.example', ['8.8.8.8'])),
  ).toEqual({
    failure: 'unreachable',
    message: 'host name not found',
  })
})
