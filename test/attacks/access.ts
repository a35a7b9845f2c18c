import { networkInterfaces } from 'node:os'
import { type Attack, expectStatus, type World } from './world.ts'

/** Names of nines' own listener, in spellings an outsider could use. */
function ownAddresses({ nines }: World): string[] {
  const { port } = new URL(nines.url)
  const hosts = ['127.0.0.1', 'localhost', '0.0.0.0', '[::1]', '[::ffff:127.0.0.1]', '[::]', '2130706433', '0x7f.1']
  return hosts.map((host) => `http://${host}:${port}`)
}

/** Addresses of cloud metadata services and private networks, if only 127.0.0.0/8 and ::1 are allowed. */
const privateHosts = [
  '169.254.169.254',
  '[::ffff:169.254.169.254]',
  '[64:ff9b::a9fe:a9fe]',
  '[64:ff9b:1::a9fe:a9fe]',
  '[2002:a9fe:a9fe::]',
  '10.0.0.1',
  '192.168.0.1',
  '172.16.0.1',
  '[fd00:ec2::254]',
  '[fe80::1]',
]

async function queryStatus({ call, unique }: World, api_url: string): Promise<string> {
  const made = await call('POST', '/api/v1/tsdb/sources', { name: unique(), api_url })
  if (made.status === 400) return 'refused'
  const source_id = expectStatus(made, 201).body.id
  const { status, text } = await call('POST', '/api/v1/tsdb/query', { query: 'up', time_range: '1h', source_id })
  await call('DELETE', `/api/v1/tsdb/sources/${source_id}`)
  return status === 503 && /may not be reached|connection refused/.test(text)
    ? 'refused'
    : `${status} ${text.slice(0, 200)}`
}

export const access: Attack[] = [
  {
    name: 'sources that are nines itself',
    async run(world) {
      for (const url of ownAddresses(world)) {
        const found = await queryStatus(world, url)
        if (found !== 'refused') throw new Error(`${url}: ${found}`)
      }
    },
  },
  {
    name: 'sources at private and metadata addresses',
    async run(world) {
      const own = Object.values(networkInterfaces())
        .flatMap((all) => all ?? [])
        .filter(({ internal }) => !internal)
      const hosts = [...privateHosts, ...own.filter(({ family }) => family === 'IPv4').map(({ address }) => address)]
      for (const host of hosts) {
        const found = await queryStatus(world, `http://${host}`)
        if (found !== 'refused') throw new Error(`${host}: ${found}`)
      }
    },
  },
  {
    name: 'probes and targets that are led to nines itself by a redirect',
    async run({ nines, call, unique, hostile }) {
      await fetch(`${hostile}/set-home?${encodeURIComponent(`${nines.url}/health`)}`)
      const probe = { name: unique(), type: 'http', target: `${hostile}/redirect-home`, interval_seconds: 60 }
      const { id } = expectStatus(await call('POST', '/api/v1/embedded/probes', probe), 201).body
      const { body } = expectStatus(await call('POST', `/api/v1/embedded/probes/${id}/test`, {}), 200)
      if (body.ok !== false) throw new Error(`the probe reached nines: ${JSON.stringify(body)}`)
    },
  },
  {
    name: 'headers of a probe that forge where it comes from',
    async run({ call, unique, hostile }) {
      for (const header of ['Host', 'X-Forwarded-For', 'Forwarded', 'X-Real-IP', 'Connection', 'Transfer-Encoding']) {
        const settings = { headers: { [header]: '192.0.2.1' } }
        const probe = { name: unique(), type: 'http', target: `${hostile}/good`, settings }
        expectStatus(await call('POST', '/api/v1/embedded/probes', probe), 400)
      }
    },
  },
  {
    name: 'a stranger reads what nines says of itself',
    async run({ nines }) {
      for (const path of ['/metrics', '/openapi.json', '/docs', '/health', '/ready', '/api/v1/health']) {
        const text = await (await fetch(`${nines.url}${path}`)).text()
        if (/bystand|attacker/.test(text)) throw new Error(`${path} names an organization or an SLO`)
      }
    },
  },
  {
    name: 'a WebSocket from a page of another origin',
    async run({ nines, attacker }) {
      const key = { 'sec-websocket-version': '13', 'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==' }
      const headers = { ...key, upgrade: 'websocket', connection: 'upgrade', origin: 'https://evil.example' }
      const asked = { headers: { ...headers, authorization: `Bearer ${attacker}` } }
      const { status } = await fetch(`${nines.url}/api/v1/ws/subscribe`, asked)
      if (status !== 403) throw new Error(`answered ${status}`)
    },
  },
  {
    name: 'an administrator’s API token makes more administrators',
    async run({ call }) {
      const made = await call('POST', '/api/v1/auth/tokens', { name: 'machine', role: 'admin' })
      const { token } = expectStatus(made, 201).body
      const invitation = { email: 'accomplice@example.com', role: 'admin' }
      expectStatus(await call('POST', '/api/v1/organization/invitations', invitation, token), 403)
      const client = { name: 'app', redirect_uris: ['https://app.example/callback'] }
      expectStatus(await call('POST', '/api/v1/oauth/clients', client, token), 403)
      expectStatus(await call('POST', '/api/v1/auth/tokens', { name: 'more', role: 'admin' }, token), 403)
    },
  },
  {
    name: 'a source is moved to another host with the credentials of the first',
    async run({ call, unique, hostile }) {
      const auth = { bearer: { token: 'secret' } }
      const source = { name: unique(), api_url: `${hostile}/good`, auth }
      const { id } = expectStatus(await call('POST', '/api/v1/tsdb/sources', source), 201).body
      const moved = { api_url: 'http://evil.example' }
      expectStatus(await call('PUT', `/api/v1/tsdb/sources/${id}`, moved), 400)
    },
  },
]
