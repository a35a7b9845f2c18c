import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { isReservedHeader } from '../../../src/http/headers/request-headers.ts'
import type { TestApp } from '../../support/app.ts'
import { joinedApp } from '../../support/reused-app.ts'
import { startReceiver, type Receiver } from '../../support/receiver.ts'

let nines: TestApp
let receiver: Receiver
beforeEach(async () => {
  nines = await joinedApp()
  const sample = { metric: {}, value: [1, '1'] }
  const answer = { status: 'success', data: { resultType: 'vector', result: [sample] } }
  receiver = startReceiver(({ path }) => (path === '/metrics' ? new Response('m 1\n') : Response.json(answer)))
})
afterEach(async () => {
  await nines.close()
  await receiver.close()
})

const reserved = [
  'Host',
  'hOST',
  'X-Forwarded-For',
  'x-forwarded-host',
  'X-Forwarded-Anything',
  'Forwarded',
  'X-Real-IP',
  'X-Client-IP',
  'X-Cluster-Client-IP',
  'True-Client-IP',
  'CF-Connecting-IP',
  'Fastly-Client-IP',
  'Via',
  'Expect',
  'Connection',
  'Keep-Alive',
  'TE',
  'Trailer',
  'Transfer-Encoding',
  'Content-Length',
  'Upgrade',
  'Proxy-Authorization',
  'Proxy-Connection',
]

/** Places for request headers: the request that sets them, the table that stores them, and the action that sends them. */
const places = {
  probe: {
    path: '/api/v1/embedded/probes',
    body: (headers: object) => ({ name: 'p', type: 'http', target: receiver.url, settings: { headers } }),
    stored: ['probes', 'sealed_settings', 'probes.sealed_settings'],
    send: () => nines.call('POST', '/api/v1/embedded/probes/1/test', {}),
  },
  target: {
    path: '/api/v1/embedded/targets',
    body: (headers: object) => ({ name: 't', url: `${receiver.url}/metrics`, auth: { headers } }),
    stored: ['scrape_targets', 'sealed_auth', 'scrape_targets.sealed_auth'],
    send: async () => {
      const { body } = await nines.call('GET', '/api/v1/embedded/targets')
      const own = body.targets.find(({ name }: { name: string }) => name === 't')
      return nines.call('POST', `/api/v1/embedded/targets/${own.id}/test`, {})
    },
  },
  source: {
    path: '/api/v1/tsdb/sources',
    body: (headers: object) => ({ name: 's', api_url: receiver.url, auth: { headers } }),
    stored: ['data_sources', 'sealed_auth', 'data_sources.sealed_auth'],
    send: () => nines.call('POST', '/api/v1/tsdb/query', { query: 'up' }),
  },
  webhook: {
    path: '/api/v1/notifications/channels',
    body: (headers: object) => ({
      name: 'w',
      channel_type: 'webhook',
      configuration: { webhook_url: receiver.url, headers },
    }),
    stored: ['channels', 'sealed_configuration', 'channels.sealed_configuration'],
    send: () =>
      nines.call('POST', '/api/v1/notifications/test', { channel_id: 1, subject: 'hello', message: 'is this on?' }),
  },
} as const

const kinds = Object.entries(places)

describe.each(kinds)('a header of a %s', (_, { path, body, stored, send }) => {
  test('is none of those that are reserved', async () => {
    for (const name of reserved) {
      const { status, body: answer } = await nines.call('POST', path, body({ [name]: 'x' }))
      expect([name, status, answer.error]).toEqual([name, 400, 'Invalid request'])
      expect(answer.details.toLowerCase()).toEndWith(
        `headers: cannot have ${name.toLowerCase()}, which nines sets itself`,
      )
    }
  })

  test('that was stored before it was refused is not sent, and not in a response', async () => {
    const wanted = body({ 'X-Key': 'kept', 'X-Other': 'dropped' })
    const { body: made, status } = await nines.call('POST', path, wanted)
    expect(status).toBe(201)
    const id = made.id ?? made.data.id
    const [table, column, bound] = stored
    // the stored form, sealed under a name of the same length
    const { seal, db } = nines.app
    const row = await db.write.selectFrom(table).selectAll().where('id', '=', id).executeTakeFirstOrThrow()
    const sealed = String(Object.entries(row).find(([name]) => name === column)?.[1])
    const old = seal.seal(seal.unseal(sealed, bound, row).replace('X-Other', 'X-Forwarded-For'), bound, row)
    await db.write
      .updateTable(table)
      .set({ [column]: old })
      .where('id', '=', id)
      .execute()

    expect((await send()).status).toBe(200)
    const { headers } = receiver.received.at(-1) ?? {}
    expect([headers?.get('x-key'), headers?.get('x-forwarded-for')]).toEqual(['kept', null])
    const { text } = await nines.call('GET', `${path}/${id}`)
    expect(text).toContain('X-Key')
    expect(text).not.toContain('X-Forwarded-For')
  })
})

test.each(['Authorization', 'X-Scope-OrgID', 'Accept', 'Proxy', 'X-Forwarded', 'Cookie'])(
  '%s may be chosen',
  (name) => {
    expect(isReservedHeader(name)).toBe(false)
  },
)
