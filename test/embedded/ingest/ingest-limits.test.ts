import { afterEach, expect, test } from 'bun:test'
import { addUser } from '../../support/accounts.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { writeBody, writeHeaders } from '../../support/remote-write.ts'

let nines: TestApp
afterEach(() => nines.close())

async function start(env: Record<string, string>): Promise<void> {
  nines = await testApp({ env: { SOURCE_URL: 'embedded', ...env } })
  await nines.join('ada')
}

const send = (token = nines.token()) => {
  const body = writeBody(1, [{ labels: { __name__: 'up' }, samples: [[nines.clock.now(), 1]] }])
  return nines.call('POST', '/api/v1/write', body, { token, headers: writeHeaders[1] })
}
const statuses = async (count: number, token?: string) => {
  const found: number[] = []
  for (let n = 0; n < count; n += 1) found.push((await send(token)).status)
  return found
}

test('a credential may send so many requests a minute, and is told with 503 when it may send again', async () => {
  await start({ INGEST_RATE_LIMIT: '2', RATE_LIMIT_PER_IP: '1' })
  expect(await statuses(3)).toEqual([204, 204, 503])
  const { body, headers } = await send()
  expect([headers.get('retry-after'), body]).toEqual([
    '30',
    { success: false, error: 'Rate limit exceeded', details: 'try again in 30 s' },
  ])
  expect(await statuses(1, await addUser(nines, 'grace', 'admin'))).toEqual([204])
  nines.clock.advance(30_000)
  expect(await statuses(2)).toEqual([204, 503])
})

test('requests that send samples count towards no other limit', async () => {
  await start({ RATE_LIMIT_PER_IP: '2' })
  expect(await statuses(4)).toEqual([204, 204, 204, 204])
  expect((await nines.call('GET', '/api/v1/slos')).status).toBe(200)
})

test('a network that sends unknown tokens is refused for a while, whatever it sends then', async () => {
  await start({ RATE_LIMIT_PER_IP: '2' })
  expect(await statuses(3, 'nines_unknown')).toEqual([401, 401, 503])
  expect(await statuses(1)).toEqual([503])
  nines.clock.advance(60_000)
  expect(await statuses(1)).toEqual([204])
})

test('another method at the same address counts as any other request', async () => {
  await start({ RATE_LIMIT_PER_IP: '2' })
  const found: number[] = []
  for (let n = 0; n < 3; n += 1) found.push((await nines.call('GET', '/api/v1/write')).status)
  expect(found).toEqual([405, 405, 429])
})
