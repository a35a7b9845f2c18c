import { expect, test } from 'bun:test'
import { readHostPort } from '../../../src/embedded/probing/connect.ts'

test.each([
  ['probe.example:22', 'probe.example', 22],
  ['10.0.0.1:65535', '10.0.0.1', 65_535],
  ['[::1]:22', '::1', 22],
])('%s is a host and a port', (text, host, port) => {
  expect(readHostPort(text)).toEqual({ host, port })
  expect(readHostPort(text, 53)).toEqual({ host, port })
})

test.each([
  ['probe.example', 'probe.example'],
  ['10.0.0.1', '10.0.0.1'],
  ['::1', '::1'],
  ['[::1]', '::1'],
])('%s is a host where there is a usual port', (text, host) => {
  expect(readHostPort(text)).toBeNull()
  expect(readHostPort(text, 53)).toEqual({ host, port: 53 })
})

test.each(['', ':22', 'a:0', 'a:65536', 'a:b', 'a:', 'a:1:2', '[a]:22', 'a b:22', 'http://a:22', 'me@a:22', 'a/b:22'])(
  '%p is neither',
  (text) => {
    expect(readHostPort(text, 53)).toBeNull()
  },
)
