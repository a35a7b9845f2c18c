import { afterEach, describe, expect, test } from 'bun:test'
import { addressSet, defaultOutboundDeny } from '../../src/cidr.ts'
import { createOutbound } from '../../src/http/outbound/outbound.ts'
import { closeAll } from '../support/closing.ts'
import { echo, outboundFailure, resolveTo } from '../support/outbound-world.ts'

afterEach(closeAll)

describe('a denied address', () => {
  test.each([
    ['169.254.0.0/16', 'http://169.254.169.254/latest/meta-data'],
    ['169.254.0.0/16', 'http://[::ffff:169.254.169.254]/'],
    ['169.254.0.0/16', 'http://[::ffff:a9fe:a9fe]/'],
    ['169.254.0.0/16', 'http://[64:ff9b::a9fe:a9fe]/'],
    ['169.254.0.0/16', 'http://[::a9fe:a9fe]/'],
    ['169.254.0.0/16', 'http://[64:ff9b:1::a9fe:a9fe]/'],
    ['169.254.0.0/16', 'http://[64:ff9b:1:a9fe:a9:fe00::]/'],
    ['169.254.0.0/16', 'http://[64:ff9b:1:12a9:fe:a9fe::]/'],
    ['169.254.0.0/16', 'http://[64:ff9b:1:1234:a9:fea9:fe00:0]/'],
    ['169.254.0.0/16', 'http://[2002:a9fe:a9fe::1]/'],
    ['169.254.0.0/16', 'http://[2001:0:a9fe:a9fe::]/'],
    ['169.254.0.0/16', 'http://[2001::5601:5601]/'],
    ['127.0.0.0/8', 'http://[64:ff9b::]/'],
    ['169.254.169.254', 'http://2852039166/'],
    ['127.0.0.0/8', 'http://0x7f.1/'],
    ['127.0.0.0/8', 'http://0.0.0.0:9090/'],
    ['127.0.0.0/8', 'http://0/'],
    ['127.0.0.0/8', 'http://[::]/'],
    ['127.0.0.0/8', 'http://[::ffff:0.0.0.0]/'],
    ['::1/128', 'http://[::]/'],
    ['::1', 'https://[::1]/'],
    ['fe80::/10', 'http://[febf::1]/'],
    ['::ffff:10.0.0.0/104', 'http://10.1.2.3/'],
  ])('in %s is not reached as %s', async (deny, url) => {
    expect(await outboundFailure(createOutbound({ deny: [deny] }).fetch(url, { maxBytes: 100 }))).toEqual({
      failure: 'forbidden',
      message: expect.stringMatching(/^the address \S+ is denied \(OUTBOUND_DENY\)$/),
    })
  })

  test('is not reached through a name, and one among several is enough', async () => {
    const { port, asked } = echo()
    const outbound = createOutbound({ deny: ['10.0.0.0/8'], ...resolveTo('127.0.0.1', '10.0.0.9') })
    expect(await outboundFailure(outbound.fetch(`http://prod.example:${port}/`, { maxBytes: 100 }))).toEqual({
      failure: 'forbidden',
      message: 'the address of the host is denied (OUTBOUND_DENY)',
    })
    expect(asked).toEqual([])
  })

  test('does not keep its neighbours from being reached', async () => {
    const { port } = echo()
    const outbound = createOutbound({ deny: [...defaultOutboundDeny, '127.0.0.2/31'] })
    expect((await outbound.fetch(`http://127.0.0.1:${port}/`, { maxBytes: 100 })).status).toBe(200)
  })

  test.each([
    '169.254.169.254',
    '169.254.170.2',
    'fe80::a9fe:a9fe',
    'fd00:ec2::254',
    'fd20:ce::254',
    '100.100.100.200',
    '168.63.129.16',
    '192.0.0.192',
  ])('is by default the metadata service at %s', (address) => {
    expect(addressSet(defaultOutboundDeny).has(address)).toBe(true)
  })

  test.each(['127.0.0.1', '::1', '10.0.0.1', '192.168.1.1', '172.16.0.1', 'fd12::1', '8.8.8.8'])(
    'is by default not %s, where a source may well be',
    (address) => {
      expect(addressSet(defaultOutboundDeny).has(address)).toBe(false)
    },
  )

  test.each(['10.0.0.0/33', '10.0.0/8', '10.0.0.0/', '10.0.0.0/8/8', '::/129', 'example.com', '', '1.2.3.4/-1'])(
    'cannot be written as %p',
    (cidr) => {
      expect(() => createOutbound({ deny: [cidr] })).toThrow(`got "${cidr}"`)
    },
  )
})
