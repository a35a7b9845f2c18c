import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Answer, TestApp } from '../support/app.ts'
import { peopleApp } from '../support/reused-app.ts'
import { limited, statuses } from '../support/limited.ts'
import { closeAll } from '../support/closing.ts'
import type { People } from '../support/people.ts'
import { readDocument } from './document.ts'

const { responses } = (await readDocument()).document.components

let nines: TestApp
let who: People
beforeAll(async () => {
  ;({ nines, who } = await peopleApp())
})
afterAll(async () => {
  closeAll()
  await nines.close()
})

const slo = { name: 'n', target: 101, time_window: '30d', metric_type: 'availability', metric_query: 'up' }
const send = (token: string | null, body?: unknown, type = 'application/json') =>
  nines.call('POST', '/api/v1/slos', body, { token, headers: { 'content-type': type } })

/** Left out: 408, 500 and 503, which need waiting, a bug, or many bodies. */
test.each<[string, () => Promise<Answer>]>([
  ['Invalid', () => send(who.member.token, slo)],
  ['Unauthenticated', () => send(null, slo)],
  ['Forbidden', () => send(who.viewer.token, slo)],
  ['NotFound', () => nines.call('GET', '/api/v1/slos/987654321')],
  ['TooLarge', () => send(who.member.token, ' '.repeat(1_048_577))],
  ['UnsupportedMediaType', () => send(who.member.token, 'x', 'text/plain')],
  ['RateLimited', () => onceMore(100)],
])('the example of %s is what nines answers', async (name, ask) => {
  const { body } = await ask()
  expect(body).toEqual(responses[name]?.content?.['application/json']?.example)
})

async function onceMore(limit: number): Promise<Answer> {
  const busy = await limited({ RATE_LIMIT_PER_IP: String(limit) })
  await statuses(busy, limit, '198.51.100.1', '/api/v1/health')
  return busy.from('198.51.100.1')
}
