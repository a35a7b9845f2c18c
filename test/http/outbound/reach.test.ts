import { afterEach, describe, expect, test } from 'bun:test'
import { networkInterfaces } from 'node:os'
import { createOutbound } from '../../../src/http/outbound/outbound.ts'
import { closeAll } from '../../support/closing.ts'
import { echo, outboundFailure, resolveTo } from '../../support/outbound-world.ts'

afterEach(closeAll)

const asked = { maxBytes: 100 }

describe('where everybody may register', () => {
  const outbound = (...allowPrivate: string[]) => createOutbound({ deny: ['169.254.0.0/16'], allowPrivate })

  test.each([
    '10.1.2.3',
    '100.64.0.1',
    '127.0.0.1',
    '172.31.0.1',
    '192.168.0.1',
    '0.0.0.0',
    '::',
    '::1',
    'fd12::1',
    '::ffff:10.1.2.3',
    '::10.1.2.3',
    '64:ff9b::a01:203',
    '64:ff9b:1::a01:203',
    '2002:a01:203::',
    '2001:0:808:808::f5fe:fdfc',
    '::ffff:0:10.1.2.3',
    '::ffff:0:7f00:1',
    '2600::5efe:10.1.2.3',
    '2600::200:5efe:10.1.2.3',
    '2600::5efe:127.0.0.1',
    '192.0.0.8',
    '192.88.99.1',
    '192.0.2.1',
    '198.19.255.255',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '239.255.255.250',
    '240.0.0.1',
    '255.255.255.255',
    '100::1',
    '2001:db8::1',
    '3fff::1',
    '5f00::1',
    'fe80::1',
    'fec0::1',
    'ff02::1',
  ])('%s is private', async (address) => {
    expect(await outboundFailure(outbound().resolve(address, 80))).toEqual({
      failure: 'forbidden',
      message: expect.stringMatching(
        /^the address \S+ is private: with REGISTRATION=open it is reached only if OUTBOUND_ALLOW names it$/,
      ),
    })
  })

  test.each([
    '8.8.8.8',
    '172.32.0.1',
    '100.128.0.1',
    '2600::1',
    '64:ff9b::808:808',
    '64:ff9b:1::808:808',
    '2002:808:808::',
    '::ffff:0:808:808',
    '2600::5efe:808:808',
    '2600::300:5efe:a01:203',
    '192.0.1.1',
    '198.20.0.1',
    '223.255.255.255',
  ])('%s is not', async (address) => {
    expect(await outbound().resolve(address, 80)).toEqual([address])
  })

  test.each([
    ['10.1.0.0/16', '10.1.2.3'],
    ['10.1.0.0/16', '::ffff:a01:203'],
    ['127.0.0.0/8', '127.0.0.1'],
    ['::1', '::1'],
  ])('%s in OUTBOUND_ALLOW lets %s be reached', async (allowed, address) => {
    expect(await outbound(allowed).resolve(address, 80)).toEqual([address])
  })

  test.each([
    ['198.20.0.5', '198.20.0.5'],
    ['198.20.0.5', '64:ff9b::198.20.0.5'],
    ['2600::5', '2600:0::5'],
    ['fe80::5%eth0', '2600::1'],
  ])('%s, an address of an interface of the machine, is reached at none of its ports by %s', async (own, address) => {
    const ownAddresses = () => [own, '2600::1']
    const open = (...allowPrivate: string[]) => createOutbound({ deny: [], allowPrivate, ownAddresses })
    expect((await outboundFailure(open().resolve(address, 9090))).message).toMatch(
      /^the address \S+ is of this machine: with REGISTRATION=open it is reached only if OUTBOUND_ALLOW names it$/,
    )
    expect(await open('::/0', '0.0.0.0/0').resolve(address, 9090)).toHaveLength(1)
    expect(await createOutbound({ deny: [], ownAddresses }).resolve(address, 9090)).toHaveLength(1)
  })

  test('OUTBOUND_ALLOW does not undo OUTBOUND_DENY', async () => {
    const { message } = await outboundFailure(outbound('169.254.0.0/16').resolve('169.254.169.254', 80))
    expect(message).toBe('the address 169.254.169.254 is denied (OUTBOUND_DENY)')
  })

  test('a name that has one private address among others is not reached', async () => {
    const { lookup } = resolveTo('8.8.8.8', '10.0.0.1')
    const asking = createOutbound({ deny: [], allowPrivate: [], lookup }).fetch('http://prod.example/', asked)
    expect((await outboundFailure(asking)).message).toStartWith('the address of the host may not be reached')
  })

  test('a name is refused with the same sentence whatever private, own or denied address it leads to', async () => {
    const [port, own] = [8123, '198.20.0.5']
    const options = { deny: ['169.254.0.0/16'], allowPrivate: [], ownPort: () => port, ownAddresses: () => [own] }
    const messages = ['10.0.0.1', '127.0.0.1', '::1', '169.254.169.254', own].map(async (address) => {
      const { message } = await outboundFailure(
        createOutbound({ ...options, ...resolveTo(address) }).resolve('db.corp', port),
      )
      return message
    })
    expect(new Set(await Promise.all(messages))).toEqual(
      new Set([
        'the address of the host may not be reached: OUTBOUND_DENY names it, or it is private or of this machine and OUTBOUND_ALLOW does not name it',
      ]),
    )
  })

  test('what the operator has named is reached wherever it is, but not what is denied', async () => {
    const { port } = echo()
    const url = `http://127.0.0.1:${port}/x`
    expect((await outbound().fetch(url, { ...asked, allowPrivate: true })).status).toBe(200)
    const denying = createOutbound({ deny: ['127.0.0.1'], allowPrivate: [] })
    expect((await outboundFailure(denying.fetch(url, { ...asked, allowPrivate: true }))).failure).toBe('forbidden')
  })
})

describe('where nines itself listens', () => {
  const ownPort = 8123
  const outbound = (...addresses: string[]) =>
    createOutbound({ deny: [], ownPort: () => ownPort, ...(addresses.length > 0 && resolveTo(...addresses)) })
  const interfaces = Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address))
  const addresses = ['127.0.0.1', '127.8.9.1', '0.0.0.0', '::', '::1', '::ffff:127.0.0.1', '::7f00:1', ...interfaces]

  test.each(addresses.map((address) => address.replace(/%.*/, '')))('%s is not reached', async (address) => {
    const message = expect.stringMatching(/^the address \S+ with port 8123 is where nines itself listens$/)
    expect(await outboundFailure(outbound().resolve(address, ownPort))).toEqual({ failure: 'forbidden', message })
    expect(await outboundFailure(outbound(address).resolve('nines.example', ownPort))).toEqual({
      failure: 'forbidden',
      message: 'the address of the host with port 8123 is where nines itself listens',
    })
    const host = address.includes(':') ? `[${address}]` : address
    const asking = outbound().fetch(`http://${host}:${ownPort}/metrics`, asked)
    expect(await outboundFailure(asking)).toEqual({ failure: 'forbidden', message })
  })

  test('other ports of the machine, and the same port of others, are reached', async () => {
    expect(await outbound().resolve('127.0.0.1', 9090)).toEqual(['127.0.0.1'])
    expect(await outbound().resolve('192.0.2.1', ownPort)).toEqual(['192.0.2.1'])
  })

  test('the port of a URL may be the usual one', async () => {
    const outbound80 = createOutbound({ deny: [], ownPort: () => 80 })
    expect((await outboundFailure(outbound80.fetch('http://127.0.0.1/', asked))).message).toContain('nines itself')
  })

  test('a request of nines to itself is let through, wherever it listens', async () => {
    const open = createOutbound({ deny: [], allowPrivate: [], ownPort: () => ownPort })
    expect(await open.resolve('127.0.0.1', ownPort, { allowSelf: true })).toEqual(['127.0.0.1'])
    expect((await outboundFailure(open.resolve('127.0.0.1', 9090, { allowSelf: true }))).failure).toBe('forbidden')
  })
})
