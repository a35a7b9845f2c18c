import { expect, test } from 'bun:test'
import { createOutbound } from '../../src/http/outbound.ts'
import { outboundFailure, to } from '../support/outbound-world.ts'

test.each([
  ['mail.example', ['10.0.0.1', '::1'], ['10.0.0.1', '::1']],
  ['10.0.0.2', [], ['10.0.0.2']],
  ['2001:db8::1', [], ['2001:db8::1']],
])('%s has the addresses to connect to', async (host, known, addresses) => {
  expect(await createOutbound({ deny: ['127.0.0.0/8'], ...to(...known) }).resolve(host, 25)).toEqual(addresses)
})

test.each([
  ['mail.example', ['10.0.0.1', '127.0.0.1'], 'forbidden', 'the address 127.0.0.1 is denied (OUTBOUND_DENY)'],
  ['0x7f.1', [], 'forbidden', 'the address 127.0.0.1 is denied (OUTBOUND_DENY)'],
  ['::ffff:127.0.0.1', [], 'forbidden', expect.stringContaining('is denied (OUTBOUND_DENY)')],
  ['0.0.0.0', [], 'forbidden', 'the address 0.0.0.0 is denied (OUTBOUND_DENY)'],
  ['mail.example', [], 'unreachable', 'host name not found'],
] as const)('%s at %p is not given: %s', async (host, known, failure, message) => {
  const resolving = createOutbound({ deny: ['127.0.0.0/8'], ...to(...known) }).resolve(host, 25)
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
