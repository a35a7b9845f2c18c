import { afterEach, expect, test } from 'bun:test'
import { closeAll } from '../../support/closing.ts'
import { answering, tryHttp } from '../../support/probe-world.ts'
import type { ReceivedRequest, Wire } from '../../support/raw-http.ts'

afterEach(closeAll)

function respond(wire: Wire, status: number, location?: string) {
  const to = location === undefined ? '' : `location: ${location}\r\n`
  wire.write(`HTTP/1.1 ${status} Well\r\n${to}content-length: 0\r\n\r\n`)
}

/** A server that redirects everything to `location`, except `/end`. */
const sendingTo = (location: string, status = 302) =>
  answering(({ path }, wire) => (path === '/end' ? respond(wire, 200) : respond(wire, status, location)))

test('a redirect is followed, and counted', async () => {
  const { url, asked } = sendingTo('/end')
  const tried = await tryHttp(`${url}/begin`)
  expect(tried).toMatchObject({ success: true, samples: { probe_http_status_code: 200, probe_http_redirects: 1 } })
  expect(asked.map(({ path }) => path)).toEqual(['/begin', '/end'])
})

test('one that is not to be followed is the answer', async () => {
  const { url, asked } = sendingTo('/end')
  const tried = await tryHttp(url, { followRedirects: false, expectedStatus: [302] })
  expect(tried).toMatchObject({ success: true, samples: { probe_http_status_code: 302, probe_http_redirects: 1 } })
  expect(asked).toHaveLength(1)
})

test('a circle is left after ten', async () => {
  const { url, asked } = sendingTo('/again')
  const tried = await tryHttp(url)
  expect(tried).toMatchObject({ error: 'HTTP 302, expected 2xx', samples: { probe_http_redirects: 11 } })
  expect(asked).toHaveLength(11)
})

test('without a place to go it is an answer as any other', async () => {
  const { url } = answering((_, wire) => respond(wire, 302))
  expect(await tryHttp(url)).toMatchObject({ error: 'HTTP 302, expected 2xx', samples: { probe_http_redirects: 0 } })
})

test.each([
  ['http://10.0.0.7/', 'the address 10.0.0.7 is denied (OUTBOUND_DENY)'],
  ['http://denied.example/', 'the address of the host is denied (OUTBOUND_DENY)'],
  ['http://[::ffff:10.0.0.7]/', 'the address ::ffff:a00:7 is denied (OUTBOUND_DENY)'],
  ['file:///etc/passwd', 'the address is not an http or https URL'],
  ['http://me:secret@probe.example/', 'the URL contains a user name or password'],
])('a redirect to %s ends there', async (location, error) => {
  const { url } = sendingTo(location)
  const lookup = async (host: string) => [host === 'denied.example' ? '10.0.0.8' : '127.0.0.1']
  expect(await tryHttp(url, {}, { deny: ['10.0.0.0/8'], lookup })).toMatchObject({
    error,
    samples: { probe_success: 0, probe_http_redirects: 1, probe_http_status_code: 0, probe_ip_protocol: 4 },
  })
})

test('one to what is no URL ends at once', async () => {
  const { url } = sendingTo('http://[')
  expect(await tryHttp(url)).toMatchObject({ success: false, error: 'the redirect leads to what is no URL' })
})

const named = ({ headers }: ReceivedRequest) =>
  [...headers.keys()].filter((name) => !/^(host|connection)$/.test(name)).toSorted()

test('another origin is sent nothing that could be a secret', async () => {
  const there = answering((_, wire) => respond(wire, 200))
  const here = sendingTo(`${there.url}/`)
  const headers = {
    Authorization: 'Bearer secret',
    Cookie: 'a=b',
    'X-Key': 'c',
    Accept: 'text/html',
  }
  expect(await tryHttp(here.url, { headers })).toMatchObject({ success: true })
  expect(here.asked.map(named)).toEqual([['accept', 'authorization', 'cookie', 'user-agent', 'x-key']])
  expect(there.asked.map(named)).toEqual([['accept', 'user-agent']])
  expect(there.asked[0]?.headers.get('host')).toBe(`probe.example:${there.port}`)
})

test('and what it was not sent stays unsent when it redirects back', async () => {
  const back = { url: '' }
  const there = answering((_, wire) => respond(wire, 302, `${back.url}/end`))
  const here = sendingTo(`${there.url}/`)
  back.url = here.url
  await tryHttp(here.url, { headers: { 'X-Key': 'secret' } })
  expect(here.asked.map(named)).toEqual([['user-agent', 'x-key'], ['user-agent']])
})

test('the same origin is sent all of it again', async () => {
  const { url, asked } = sendingTo('/end')
  await tryHttp(url, { headers: { 'X-Key': 'c' } })
  expect(asked.map(({ headers }) => headers.get('x-key'))).toEqual(['c', 'c'])
})

test.each([
  [301, 'POST', 'GET', ''],
  [302, 'PUT', 'GET', ''],
  [303, 'DELETE', 'GET', ''],
  [303, 'HEAD', 'HEAD', ''],
  [307, 'POST', 'POST', 'body'],
  [308, 'PUT', 'PUT', 'body'],
] as const)('%d makes of %s a %s', async (status, method, then, body) => {
  const { url, asked } = sendingTo('/end', status)
  await tryHttp(url, { method, body: method === 'HEAD' ? null : 'body' })
  expect(asked.at(-1)).toMatchObject({ path: '/end', method: then, body })
})
