import { afterEach, describe, expect, test } from 'bun:test'
import { defaultOutboundDeny } from '../../../src/cidr.ts'
import { createOutbound } from '../../../src/http/outbound/outbound.ts'
import { closeAll, closeLater } from '../../support/closing.ts'
import { echo, outboundFailure, resolveTo } from '../../support/outbound-world.ts'
import { rawHttp } from '../../support/raw-http.ts'

afterEach(closeAll)

const maxBytes = 1000

describe('the address', () => {
  test('is looked up once, and the request goes there under the name it was given', async () => {
    const { port } = echo()
    const looked: string[] = []
    const outbound = createOutbound({
      deny: [],
      lookup: async (host) => {
        looked.push(host)
        return ['127.0.0.1']
      },
    })
    const answer = await outbound.fetch(`http://prod.example:${port}/a/b?c=d`, { maxBytes })
    expect(answer.body.toString()).toBe(`prod.example:${port} /a/b?c=d`)
    expect(looked).toEqual(['prod.example'])
  })

  test('is not looked up when the URL has it already', async () => {
    const { port } = echo()
    const outbound = createOutbound({ deny: [], lookup: () => Promise.reject(new Error('looked up')) })
    expect((await outbound.fetch(`http://127.0.0.1:${port}/x`, { maxBytes })).body.toString()).toBe(
      `127.0.0.1:${port} /x`,
    )
  })

  test('of localhost is found by the system', async () => {
    const { port } = echo()
    const answer = await createOutbound({ deny: defaultOutboundDeny }).fetch(`http://localhost:${port}/x`, { maxBytes })
    expect(answer.body.toString()).toBe(`localhost:${port} /x`)
  })

  test('that refuses the connection is followed by the next one, with the same body', async () => {
    const server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: async (request) => new Response(await request.text()),
    })
    closeLater(() => void server.stop(true))
    const outbound = createOutbound({ deny: [], ...resolveTo('::1', '127.0.0.1') })
    const answer = await outbound.fetch(`http://localhost:${server.port}/x`, {
      maxBytes,
      method: 'POST',
      body: 'query=up',
    })
    expect(answer.body.toString()).toBe('query=up')
  })

  test('that took the request and then broke off is not followed by another', async () => {
    let asked = 0
    const server = rawHttp((_asked, wire) => {
      asked += 1
      wire.reset()
    })
    closeLater(server.close)
    const outbound = createOutbound({ deny: [], ...resolveTo('127.0.0.1', '127.0.0.1') })
    const post = outbound.fetch(`http://localhost:${server.port}/`, { maxBytes, method: 'POST', body: 'a=b' })
    expect((await outboundFailure(post)).failure).toBe('lost')
    expect(asked).toBe(1)
  })

  test.each([
    ['none', async () => []],
    ['an error', () => Promise.reject(new Error('getaddrinfo ENOTFOUND prod.example'))],
  ])('can be missing: the resolver gives %s', async (_what, lookup) => {
    const asking = createOutbound({ deny: [], lookup }).fetch('http://prod.example/', { maxBytes })
    expect(await outboundFailure(asking)).toEqual({ failure: 'unreachable', message: 'host name not found' })
  })

  test('can be late: the wait for the resolver ends with the signal', async () => {
    const { promise } = Promise.withResolvers<string[]>()
    const outbound = createOutbound({ deny: [], lookup: () => promise })
    const impatient = new AbortController()
    const asking = outbound.fetch('http://prod.example/', { maxBytes, signal: impatient.signal })
    impatient.abort(new Error('too late'))
    await expect(asking).rejects.toThrow('too late')
  })

  test('with a zone, which fetch would look up again by name, is not used', async () => {
    const asking = createOutbound({ deny: [], ...resolveTo('fe80::1%eth0') }).fetch('http://prod.example/', {
      maxBytes,
    })
    expect((await outboundFailure(asking)).message).toBe('the host has an address that cannot be used')
  })
})

describe('a URL', () => {
  test.each([
    ['file:///etc/passwd', 'the address is not an http or https URL'],
    ['data:text/plain,hello', 'the address is not an http or https URL'],
    ['ftp://prod.example/', 'the address is not an http or https URL'],
    ['prod.example:9090', 'the address is not an http or https URL'],
    ['', 'the address is not an http or https URL'],
    ['http://alice:hidden@prod.example/', 'the URL contains a user name or password'],
    ['http://alice@prod.example/', 'the URL contains a user name or password'],
  ])('%p is not asked for', async (url, message) => {
    const outbound = createOutbound({ deny: [], lookup: () => Promise.reject(new Error('looked up')) })
    expect(await outboundFailure(outbound.fetch(url, { maxBytes }))).toEqual({ failure: 'forbidden', message })
  })
})

test('a redirect is handed back, not followed', async () => {
  const target = echo()
  const { port } = echo('127.0.0.1', { Location: `http://127.0.0.1:${target.port}/` }, 302)
  const answer = await createOutbound({ deny: [] }).fetch(`http://127.0.0.1:${port}/`, { maxBytes })
  expect(answer.status).toBe(302)
  expect(target.asked).toEqual([])
})

test('the name of the host is not a header to choose', async () => {
  const { port } = echo()
  const answer = await createOutbound({ deny: [] }).fetch(`http://127.0.0.1:${port}/`, {
    maxBytes,
    headers: { Host: 'elsewhere' },
  })
  expect(answer.body.toString()).toBe(`127.0.0.1:${port} /`)
})

test('a request ends with its signal, and for the reason it gives', async () => {
  const { promise: arrived, resolve } = Promise.withResolvers<void>()
  const server = rawHttp(() => resolve())
  closeLater(server.close)
  const impatient = new AbortController()
  const asking = createOutbound({ deny: [] }).fetch(`http://127.0.0.1:${server.port}/`, {
    maxBytes,
    signal: impatient.signal,
  })
  await arrived
  impatient.abort(new Error('too late'))
  await expect(asking).rejects.toThrow('too late')
})

test('an error says nothing of the URL, also not in its cause', async () => {
  const server = rawHttp((_asked, wire) => wire.write('SSH-2.0-OpenSSH_9.2\r\n\r\n'))
  closeLater(server.close)
  const asking = createOutbound({ deny: [] }).fetch(`http://127.0.0.1:${server.port}/?key=hidden`, { maxBytes })
  const error = await asking.catch((reason: unknown) => reason)
  expect(error).toMatchObject({ failure: 'broken', message: 'the answer is not HTTP' })
  expect(Bun.inspect(error)).not.toContain('key=')
})
