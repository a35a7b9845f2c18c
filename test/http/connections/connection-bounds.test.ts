import { describe, expect, test } from 'bun:test'
import { addressSet } from '../../../src/cidr.ts'
import { boundsOf, excessConnections } from '../../../src/http/connections/connection-guard.ts'

let last = 0
const connection = (ip: string, silentMs: number, isAnswered = false) => ({
  descriptor: (last += 1),
  ip,
  port: 1024 + last,
  isAnswered,
  silentMs,
})
const bounds = { maxConnections: 6, maxPerNetwork: 3, maxLive: 4 }
const noProxies = addressSet([])
const many = (count: number, ip: string) => Array.from({ length: count }, (_, at) => connection(ip, at))

test.each([
  [256, { maxConnections: 144, maxPerNetwork: 72, maxLive: 108 }],
  [1024, { maxConnections: 720, maxPerNetwork: 360, maxLive: 540 }],
  [1_048_576, { maxConnections: 1_047_504, maxPerNetwork: 523_752, maxLive: 785_628 }],
  [64, { maxConnections: 8, maxPerNetwork: 4, maxLive: 6 }],
  [Infinity, { maxConnections: Infinity, maxPerNetwork: Infinity, maxLive: Infinity }],
])('of %p descriptors connections get %p', (maxDescriptors, expected) => {
  expect(boundsOf(maxDescriptors)).toEqual(expected)
})

describe('of too many connections', () => {
  test('none ends while all are within the bounds', () => {
    expect(excessConnections([...many(3, '192.0.2.1'), ...many(3, '192.0.2.2')], bounds, noProxies)).toEqual([])
  })

  test('those of one network end, whatever others have', () => {
    const own = many(5, '192.0.2.1')
    expect(excessConnections([connection('192.0.2.2', 9000), ...own], bounds, noProxies)).toEqual(own.slice(3))
  })

  test('addresses of one /64 are one network', () => {
    const six = ['2001:db8:0:1:0:0:0:1', '2001:db8:0:1:0:0:0:2', '2001:db8:0:1:0:0:0:3', '2001:db8:0:1:0:0:0:4']
    const own = six.map((ip, at) => connection(ip, at))
    expect(excessConnections(own, bounds, noProxies)).toEqual(own.slice(3))
  })

  test('who was never answered ends first, then who has been silent longest', () => {
    const answered = [connection('192.0.2.1', 500, true), connection('192.0.2.1', 900, true)]
    const fresh = connection('192.0.2.1', 10)
    const idle = connection('192.0.2.1', 5000)
    const old = connection('192.0.2.1', 90_000, true)
    expect(excessConnections([idle, fresh, ...answered], bounds, noProxies)).toEqual([idle])
    expect(excessConnections([old, ...answered, connection('192.0.2.1', 1, true)], bounds, noProxies)).toEqual([old])
  })

  test('a trusted proxy may have as many as there are', () => {
    expect(excessConnections(many(6, '192.0.2.1'), bounds, addressSet(['192.0.2.1']))).toEqual([])
    expect(excessConnections(many(9, '192.0.2.1'), bounds, addressSet(['192.0.2.1']))).toHaveLength(3)
  })
})
