import { afterEach, beforeEach, expect, test } from 'bun:test'
import { AppError } from '../../src/errors.ts'
import type { Answer, InstantData, SourceOpener } from '../../src/sources/source.ts'
import { countSql } from '../guard/count-sql.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { countEventLoopIterations } from '../support/event-loop-iterations.ts'

let nines: TestApp
let sent: string[]
let underWay: number
let max: number
let waiting: (() => void)[]
let isHeld: boolean

const answer: Answer<InstantData> = {
  data: { resultType: 'vector', result: [] },
  warnings: [],
  infos: [],
  isPartial: false,
  durationMs: 0,
}

/** Sources that answer when the test releases them. */
const opener: SourceOpener = {
  open: ({ name }) => ({
    name,
    async instant() {
      sent.push(name)
      underWay += 1
      max = Math.max(max, underWay)
      if (isHeld) await new Promise<void>((resolve) => waiting.push(resolve))
      underWay -= 1
      if (name === 'broken') throw new AppError('source_unavailable', 'metrics source did not answer')
      return answer
    },
    range: () => Promise.reject(new Error('a range was queried')),
  }),
}

beforeEach(async () => {
  ;[sent, underWay, max, waiting, isHeld] = [[], 0, 0, [], false]
  nines = await testApp({ opener })
  await nines.join('ada')
})
afterEach(() => nines.close())

const create = (name: string) => nines.call('POST', '/api/v1/tsdb/sources', { name, api_url: `http://${name}.example` })
const health = (token?: string) => nines.call('GET', '/api/v1/tsdb/health', undefined, token ? { token } : {})
const letGo = () => {
  isHeld = false
  for (const resolve of waiting.splice(0)) resolve()
}

test('few of many sources are checked at once, and each of them', async () => {
  for (let at = 0; at < 30; at += 1) await create(`s${at}`)
  isHeld = true
  const checking = health()
  while (sent.length < 8) await Bun.sleep(1)
  letGo()
  const { status, body } = await checking
  expect([status, body.total, sent.length, max]).toEqual([200, 30, 30, 8])
})

test('checks that end in one turn of the event loop are stored with one commit', async () => {
  const counter = countSql()
  await nines.close()
  nines = await testApp({ opener })
  await nines.join('ada')
  for (let at = 0; at < 40; at += 1) await create(`s${at}`)
  const { transactions } = await counter.of(nines.dataDir, health).finally(counter.close)
  expect(transactions).toBe(40 / 8)
})

test('requests that have shared a check are answered in a turn of the event loop each', async () => {
  await create('main')
  isHeld = true
  const checking = Promise.all(Array.from({ length: 10 }, () => health()))
  while (sent.length < 1) await Bun.sleep(1)
  using turns = countEventLoopIterations()
  letGo()
  await checking
  expect(turns.count()).toBeGreaterThanOrEqual(10)
})

test('all requests at the same time share one check', async () => {
  await create('main')
  isHeld = true
  const checking = Promise.all([health(), health(), health()])
  while (sent.length < 1) await Bun.sleep(1)
  letGo()
  expect((await checking).map(({ status }) => status)).toEqual([200, 200, 200])
  expect(sent).toEqual(['main'])
})

test('what was found out holds for five seconds, also that a source does not answer', async () => {
  await create('broken')
  const first = await health()
  nines.clock.advance(4999)
  const second = await health()
  expect([first.status, second.status, second.body.data_sources]).toEqual([503, 503, first.body.data_sources])
  expect(sent).toEqual(['broken'])
  nines.clock.advance(1)
  await health()
  expect(sent).toEqual(['broken', 'broken'])
})

test('a change of the sources is looked at at once', async () => {
  await create('main')
  await health()
  await create('second')
  expect((await health()).body.total).toBe(2)
  nines.clock.advance(1)
  await nines.call('PUT', '/api/v1/tsdb/sources/1', { api_url: 'http://elsewhere.example' })
  expect((await health()).body.data_sources[0].api_url).toBe('http://elsewhere.example')
  await nines.call('PUT', '/api/v1/tsdb/sources/1', { is_active: false })
  expect((await health()).body.total).toBe(1)
})

test('another organization has a check of its own', async () => {
  await create('main')
  await health()
  const eve = await nines.join('eve')
  expect((await health(eve)).body).toMatchObject({ total: 0, status: 'unhealthy' })
  expect(sent).toEqual(['main'])
})
