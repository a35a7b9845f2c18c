import { afterEach, beforeEach, expect, test } from 'bun:test'
import { createImports } from '../../../src/embedded/storage/import.ts'
import { AppError } from '../../../src/errors.ts'
import { createBodyBudget } from '../../../src/http/bodies/body-budget.ts'
import type { Caller } from '../../../src/http/signed-in.ts'
import { type TestApp, testApp } from '../../support/app.ts'

const maxParts = 4

let nines: TestApp
beforeEach(async () => {
  nines = await testApp({ env: { SOURCE_URL: 'embedded' } })
  await nines.join('ada')
})
afterEach(() => nines.close())

function openImports(bodyBudget = createBodyBudget(1e9), queryCpuSecondsPerMinute = 1000) {
  const config = { ...nines.app.config, queryCpuSecondsPerMinute }
  return createImports({ ...nines.app, config, stopwatch: nines.clock, bodyBudget, restartBackfills: async () => 0 })
}

function callerOf(organizationId: number): Caller {
  const credential = { type: 'session' as const, id: 1 }
  const user = { userId: 1, email: 'a@example.com', name: 'Ada', role: 'admin' as const, sessionId: 1, credential }
  return { ...user, organizationId, origin: { ip: '127.0.0.1', userAgent: '' } }
}

const second = (at: number) => nines.clock.now() / 1000 - at
const part = (text: string) => ({ text, firstLine: 2, isLast: false })
const few = () => part(`jobs 1 ${second(60)}\n`)

async function refusal(work: Promise<unknown>): Promise<AppError> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (error instanceof AppError) return error
  throw error ?? new Error('nothing was refused')
}

test('a fifth part of an organization is refused before it is read; those of others are read', async () => {
  const imports = openImports()
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<string>()
  const first = Array.from({ length: maxParts }, () => imports.receive(1, () => arrived))
  let wasRead = false
  const refused = await refusal(imports.receive(1, async () => void (wasRead = true)))
  expect([refused.kind, refused.headers['Retry-After']]).toEqual(['unavailable', '2'])
  expect(refused.details).toContain(`${maxParts} parts`)
  expect(wasRead).toBe(false)
  expect(await imports.receive(2, async () => 'read')).toBe('read')
  arrive('whole')
  expect(await Promise.all(first)).toEqual(first.map(() => 'whole'))
  expect(await imports.receive(1, async () => 'read')).toBe('read')
})

test('a part that does not arrive whole leaves its place', async () => {
  const imports = openImports()
  for (let times = 0; times < 2 * maxParts; times += 1) {
    const broken = imports.receive(1, () => Promise.reject(new AppError('too_slow', 'Request body too slow')))
    expect((await refusal(broken)).kind).toBe('too_slow')
  }
})

test('parts that wait to be imported count too, those of another organization do not wait for all of them, and what was refused goes in later', async () => {
  const imports = openImports()
  const order: string[] = []
  const send = (organizationId: number, name: string) =>
    imports.importPart(callerOf(organizationId), few()).then(({ samples }) => order.push(`${name} ${samples}`))
  const own = ['1a', '1b', '1c', '1d'].map((name) => send(1, name))
  expect((await refusal(imports.importPart(callerOf(1), few()))).kind).toBe('unavailable')
  expect((await refusal(imports.receive(1, async () => 'read'))).kind).toBe('unavailable')
  const other = send(2, '2a')
  await Promise.all([...own, other])
  expect(order).toEqual(['1a 1', '2a 1', '1b 1', '1c 1', '1d 1'])
  await send(1, 'again')
  expect(order.at(-1)).toBe('again 1')
})

test('the text of a part has its room in memory until it is imported', async () => {
  const budget = createBodyBudget(1_000_000)
  const imports = openImports(budget)
  // 198 kB; one organization may have 375 kB
  const long = part(`jobs 1 ${second(60)}\n`.repeat(11_000))
  const first = imports.importPart(callerOf(1), long)
  expect(await refusal(imports.importPart(callerOf(1), long))).toMatchObject({
    kind: 'unavailable',
    headers: { 'Retry-After': '5' },
  })
  expect((await first).samples).toBe(11_000)
  expect((await imports.importPart(callerOf(1), long)).samples).toBe(11_000)
})

test('an organization whose imports have used their seconds is refused until it has some again; no other is', async () => {
  const imports = openImports(undefined, 1)
  const much = part(Array.from({ length: 20_000 }, (_, at) => `jobs ${at} ${second(at * 60)}\n`).join(''))
  const refused = await refusal(
    (async () => {
      for (let times = 0; times < 200; times += 1) await imports.importPart(callerOf(1), much)
    })(),
  )
  expect(refused).toMatchObject({ kind: 'rate_limited', message: 'Too many heavy imports' })
  expect(refused.details).toContain('QUERY_CPU_SECONDS_PER_MINUTE=1 for its imports')
  expect((await refusal(imports.receive(1, async () => 'read'))).kind).toBe('rate_limited')
  expect((await imports.importPart(callerOf(2), few())).samples).toBe(1)
  nines.clock.advance(Number(refused.headers['Retry-After']) * 1000)
  expect((await imports.importPart(callerOf(1), few())).samples).toBe(1)
}, 30_000)

test('clients that send many parts at once and heed Retry-After have all of it imported', async () => {
  const sent = Array.from({ length: 30 }, (_, at) => `jobs{at="${at}"} 1 ${second(60)}\n`)
  const statuses: number[] = []
  for (let left = sent; left.length > 0;) {
    const answers = await Promise.all(
      left.map((text) => nines.call('POST', '/api/v1/embedded/import', { text, first_line: 2, is_last: false })),
    )
    statuses.push(...answers.map(({ status }) => status))
    const refused = answers.map(({ status, headers }) => status === 503 && headers.get('retry-after') === '2')
    left = left.filter((_, at) => refused[at])
  }
  expect([...new Set(statuses)].toSorted()).toEqual([200, 503])
  const { body } = await nines.call('GET', '/api/v1/embedded/prometheus/api/v1/query?query=count(jobs)')
  expect(body.data.result[0].value[1]).toBe('30')
})
