import { afterEach, describe, expect, test } from 'bun:test'
import {
  checkClock,
  checkMail,
  checkNetwork,
  type Endpoint,
  endpointsOf,
} from '../../../src/cli/doctor/network-checks.ts'
import { checkDescriptors, checkPort, checkSettings } from '../../../src/cli/doctor/machine-checks.ts'
import { loadSettings } from '../../../src/cli/settings/settings.ts'
import { readConfig } from '../../../src/config.ts'
import { createOutbound } from '../../../src/http/outbound/outbound.ts'
import { closeAll, closeLater } from '../../support/closing.ts'

afterEach(closeAll)

const outbound = createOutbound({ deny: [] })
const nowMs = Date.parse('2026-11-28T12:00:00Z')

function serving(answer: () => Response): number {
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: answer })
  closeLater(() => void server.stop(true))
  return Number(server.port)
}

const source = (url: string, more: Partial<Endpoint> = {}): Endpoint => ({
  name: 'the source',
  url,
  isSource: true,
  isFromSettings: true,
  hasCredentials: false,
  ...more,
})

/** Findings for one source, by check. */
async function of(endpoint: Endpoint, resolves?: (host: string) => Promise<unknown>) {
  const findings = await checkNetwork({
    endpoints: [endpoint],
    outbound,
    clock: { now: () => nowMs },
    ...(resolves && { resolves }),
  })
  return Object.fromEntries(findings.map(({ check, level, message }) => [check, `${level}: ${message}`]))
}

describe('a source', () => {
  const success = (date: string) => () => Response.json({ status: 'success' }, { headers: { date } })

  test('that answers is in order, and so is the clock', async () => {
    const port = serving(success(new Date(nowMs).toUTCString()))
    expect(await of(source(`http://127.0.0.1:${port}`))).toEqual({
      dns: 'ok: no host names are configured',
      sources: 'ok: the source answers',
      clock: 'ok: the same time as that of the sources',
      certificates: 'ok: no server with one is configured',
    })
  })

  test('shows that the clock is off', async () => {
    const port = serving(success(new Date(nowMs - 600_000).toUTCString()))
    const { clock } = await of(source(`http://127.0.0.1:${port}`))
    expect(clock).toMatch(/^error: this clock is (?:599|600) s ahead of that of the sources$/)
  })

  test.each([
    [404, false, 'error: the source answers a query with HTTP 404'],
    [200, false, 'error: the source answers a query with HTTP 200'],
    [401, false, 'warning: the source asks for credentials'],
    [401, true, 'ok: the source answers; its credentials have not been tried'],
  ])('that answers with HTTP %d (with credentials: %p) is %p', async (status, hasCredentials, expected) => {
    const port = serving(() => new Response('<html>', { status }))
    expect((await of(source(`http://127.0.0.1:${port}`, { hasCredentials })))['sources']).toBe(expected)
  })

  test('that nothing listens at is an error', async () => {
    expect((await of(source('http://127.0.0.1:9')))['sources']).toBe('error: the source: connection refused')
  })

  test('whose name has no address is an error of DNS only', async () => {
    const found = await of(source('http://prometheus.example:9090'), () => Promise.reject(new Error('ENOTFOUND')))
    expect(found['dns']).toBe('error: prometheus.example has no address (ENOTFOUND), for the source')
    expect(found['sources']).toBeUndefined()
  })
})

test.each([
  [[], 'ok'],
  [[-4000], 'ok'],
  [[5500], 'warning'],
  [[-90_000], 'error'],
  [[-90_000, 100], 'ok'],
])('a clock that differs by %j ms is %s', (offsets, level) => {
  expect(checkClock(offsets).level).toBe(level as 'ok')
})

test('servers of settings are checked, but for the embedded source', () => {
  expect(endpointsOf(readConfig({}))).toEqual([])
  const config = readConfig({
    SOURCE_URL: 'https://x',
    HEARTBEAT_URL: 'https://y/z',
    SMTP_URL: 'smtp://m',
    OIDC_ISSUER: 'https://id.example',
    OIDC_CLIENT_ID: 'nines',
  })
  expect(endpointsOf(config).map(({ url, isSource }) => [url, isSource])).toEqual([
    ['https://x', true],
    ['https://y/z', false],
    ['smtp://m', false],
    ['https://id.example', false],
  ])
})

test('a mail server that does not answer is an error, and none is in order', async () => {
  expect(await checkMail({ smtpUrl: null })).toEqual([expect.objectContaining({ level: 'ok' })])
  expect(await checkMail({ smtpUrl: 'smtp://ada:hunter2@127.0.0.1:9' })).toEqual([
    expect.objectContaining({ level: 'error', message: expect.not.stringContaining('hunter2') }),
  ])
})

describe('the port', () => {
  test('that another program has is an error', async () => {
    const port = serving(() => new Response('<html>'))
    expect(await checkPort(readConfig({ PORT: String(port) }))).toEqual([
      expect.objectContaining({ level: 'error', advice: 'end it, or set PORT to another port' }),
    ])
  })

  test('of nines is in order', async () => {
    const port = serving(() => Response.json({ status: 'ready' }))
    expect(await checkPort(readConfig({ PORT: String(port) }))).toEqual([
      expect.objectContaining({ level: 'ok', message: `nines listens on 127.0.0.1:${port}, and is ready` }),
    ])
  })

  test('at an address of another machine is an error', async () => {
    expect(await checkPort(readConfig({ HOST: '203.0.113.1' }))).toEqual([
      expect.objectContaining({ level: 'error', advice: expect.stringContaining('set HOST') }),
    ])
  })
})

test.each([
  [undefined, 'ok'],
  [64, 'warning'],
  [1024, 'ok'],
] as const)('%p descriptors are %s', (max, level) => {
  expect(checkDescriptors(max).map((finding) => finding.level)).toEqual([level])
})

test('a misspelled variable is a warning', () => {
  const of = (env: Record<string, string>) => checkSettings(loadSettings(env, undefined)).map(({ level }) => level)
  expect([of({}), of({ NINES_PROT: '80' })]).toEqual([['ok'], ['warning']])
})
