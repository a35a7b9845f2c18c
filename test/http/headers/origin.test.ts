import { afterEach, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { createOriginReader, networkOf } from '../../../src/http/headers/origin.ts'
import { closeAll, closeLater } from '../../support/closing.ts'

afterEach(closeAll)

const proxies = ['10.0.0.0/8', '2001:db8:ffff::/48']

function ipOf(peer: string, forwarded?: string, trustProxy = proxies): string {
  const request = new Request(
    'http://nines/',
    forwarded === undefined ? {} : { headers: { 'x-forwarded-for': forwarded } },
  )
  return createOriginReader({ trustProxy })(request, { requestIP: () => ({ address: peer }) }).ip
}

describe('without a trusted proxy, the peer is the client', () => {
  test.each([
    ['203.0.113.7', '203.0.113.7'],
    ['2001:db8::7', '2001:db8::7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::ffff:cb00:7107', '203.0.113.7'],
    ['fe80::1%eth0', 'fe80::1'],
  ])('%s', (peer, ip) => {
    expect(ipOf(peer)).toBe(ip)
    expect(ipOf(peer, '198.51.100.9')).toBe(ip)
    expect(ipOf(peer, '198.51.100.9', [])).toBe(ip)
  })

  test('nobody is trusted by default, not even this machine', () => {
    expect(ipOf('127.0.0.1', '198.51.100.9', [])).toBe('127.0.0.1')
  })

  test('over no socket it is unknown, whatever a header says', () => {
    const read = createOriginReader({ trustProxy: ['0.0.0.0/0', '::/0'] })
    const request = () => new Request('http://nines/', { headers: { 'x-forwarded-for': '198.51.100.9' } })
    expect(read(request(), null).ip).toBe('unknown')
    expect(read(request(), { requestIP: () => null }).ip).toBe('unknown')
  })
})

describe('behind a trusted proxy, the client is the right-most address that is not one', () => {
  test.each([
    ['one address', '203.0.113.7', '203.0.113.7'],
    ['what the client wrote itself is left of it', '1.1.1.1, 127.0.0.1, 203.0.113.7', '203.0.113.7'],
    ['what the client wrote looks like a proxy', '1.1.1.1, 10.0.0.9, 203.0.113.7', '203.0.113.7'],
    ['through two proxies', '1.1.1.1, 203.0.113.7, 10.0.0.9', '203.0.113.7'],
    ['through two proxies of either family', '203.0.113.7,2001:db8:ffff::1,10.0.0.9', '203.0.113.7'],
    ['the proxy written as IPv6', '203.0.113.7, ::ffff:10.0.0.9', '203.0.113.7'],
    ['from a proxy itself', '10.0.0.9', '10.0.0.9'],
    ['with a port', '203.0.113.7:51234', '203.0.113.7'],
    ['IPv6', '2001:db8::7', '2001:db8::7'],
    ['IPv6 in another spelling', '2001:0DB8:0:0::0007', '2001:db8::7'],
    ['IPv6 in brackets', '[2001:db8::7]', '2001:db8::7'],
    ['IPv6 in brackets with a port', '[2001:db8::7]:443', '2001:db8::7'],
    ['IPv4 inside IPv6', '::ffff:203.0.113.7', '203.0.113.7'],
    ['IPv4 inside IPv6, in hexadecimal', '[::FFFF:cb00:7107]:1', '203.0.113.7'],
    ['an interface name', 'fe80::7%eth0', 'fe80::7'],
    ['empty entries', ', 203.0.113.7 ,, ', '203.0.113.7'],
    ['nothing but empty entries', ' ,, ', '10.0.0.1'],
    ['an empty header', '', '10.0.0.1'],
  ])('%s', (_, forwarded, ip) => {
    expect(ipOf('10.0.0.1', forwarded)).toBe(ip)
    expect(ipOf('::ffff:10.0.0.1', forwarded)).toBe(ip)
  })

  test('without the header it is the proxy', () => {
    expect(ipOf('10.0.0.1')).toBe('10.0.0.1')
  })

  test.each([
    'unknown',
    '_hidden',
    '203.0.113',
    '203.0.113.256',
    '0203.0.113.7',
    '3405803783',
    '0xcb007107',
    '203.0.113.7:',
    '203.0.113.7:http',
    '203.0.113.7 1.1.1.1',
    '203.0.113.7;1.1.1.1',
    '[203.0.113.7]',
    '[2001:db8::7',
    '2001:db8::7]:443',
    '2001:db8::7::1',
    '"203.0.113.7"',
    'for=203.0.113.7',
    'localhost',
  ])('the entry %s is nobody: who passed it on answers for it', (entry) => {
    expect(ipOf('10.0.0.1', `1.1.1.1, ${entry}`)).toBe('10.0.0.1')
    expect(ipOf('10.0.0.1', `1.1.1.1, ${entry}, 10.0.0.9`)).toBe('10.0.0.9')
    expect(ipOf('10.0.0.1', `${entry}, 203.0.113.7, 10.0.0.9`)).toBe('203.0.113.7')
  })

  test('several header lines are one list, in their order', async () => {
    const originOf = createOriginReader({ trustProxy: ['127.0.0.1', '10.0.0.0/8'] })
    const server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: (request, self) => new Response(originOf(request, self).ip),
    })
    closeLater(() => void server.stop(true))
    const lines = ['1.1.1.1', '203.0.113.7', '10.0.0.9'].map((address) => `X-Forwarded-For: ${address}\r\n`)
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    const socket = connect(Number(server.port), '127.0.0.1', () =>
      socket.write(`GET / HTTP/1.1\r\nHost: nines\r\nConnection: close\r\n${lines.join('')}\r\n`),
    )
    let said = ''
    socket
      .on('data', (chunk) => (said += chunk.toString()))
      .on('close', () => resolve(said))
      .on('error', reject)
    expect(await promise).toEndWith('\r\n\r\n203.0.113.7')
  })
})

test('a request is looked at once', () => {
  let times = 0
  const server = { requestIP: () => ({ address: `203.0.113.${(times += 1)}` }) }
  const read = createOriginReader({ trustProxy: [] })
  const request = new Request('http://nines/', { headers: { 'user-agent': 'x'.repeat(600) } })
  expect(read(request, server)).toEqual({ ip: '203.0.113.1', userAgent: 'x'.repeat(500) })
  expect(read(request, server)).toBe(read(request, server))
  expect(read(new Request('http://nines/'), server)).toEqual({ ip: '203.0.113.2', userAgent: '' })
})

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['unknown', 'unknown'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8::1:2:3:4:5', '2001:db8:0:1::/64'],
  ['2001:db8::7', '2001:db8:0:0::/64'],
  ['2001:db8:1:2::', '2001:db8:1:2::/64'],
  ['::1', '0:0:0:0::/64'],
  ['::', '0:0:0:0::/64'],
  ['1::2:3:4:5:6:7', '1:0:2:3::/64'],
])('%s counts as %s', (ip, network) => {
  expect(networkOf(ip)).toBe(network)
})

test('a peer of a unix socket counts as 127.0.0.1, so that TRUST_PROXY can name it', () => {
  const request = new Request('http://nines.example.com/', { headers: { 'x-forwarded-for': '203.0.113.7' } })
  const listener = { requestIP: () => null, url: new URL('unix:///run/nines/nines.sock') }
  expect(createOriginReader({ trustProxy: ['127.0.0.1'] })(request, listener).ip).toBe('203.0.113.7')
  expect(createOriginReader({ trustProxy: [] })(new Request(request), listener).ip).toBe('127.0.0.1')
})
