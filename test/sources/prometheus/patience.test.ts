import { afterEach, describe, expect, test } from 'bun:test'
import { closeAll } from '../../support/closing.ts'
import type { Fault } from '../../support/faulty-source.ts'
import { at, failure, troubled } from '../../support/troubled-source.ts'

afterEach(closeAll)

describe('the deadline', () => {
  test.each<Fault>(['hang', 'stall', 'dribble', { delayMs: 5000 }])('ends a question that meets %j', async (fault) => {
    const { source } = troubled(fault, { timeoutMs: 150 })
    const begun = performance.now()
    expect(await failure(source.instant('x', at))).toEqual({
      kind: 'source_unavailable',
      message: 'metrics source did not answer',
      details: 'prod: no answer within 0.15 s',
    })
    expect(performance.now() - begun).toBeLessThan(2000)
  })

  test('can be another for one question', async () => {
    const { source } = troubled('hang', { timeoutMs: 60_000 })
    expect((await failure(source.instant('x', at, { timeoutMs: 100 }))).details).toBe('prod: no answer within 0.1 s')
  })

  test('covers the wait for a free slot, and a query that was given up is never sent', async () => {
    const { server, source } = troubled('hang', { timeoutMs: 60_000, concurrency: 2 })
    const hanging = ['a', 'b'].map((name) => failure(source.instant(name, at, { timeoutMs: 250 })))
    const late = await failure(source.instant('late', at, { timeoutMs: 100 }))
    expect(late.details).toBe('prod: no free slot among 2 within 0.1 s')
    await Promise.all(hanging)
    expect(server.asked.map((asked) => asked.parameters['query'])).toEqual(['a', 'b'])
  })

  test('covers the pause between attempts', async () => {
    const { server, source } = troubled('reset', {
      timeoutMs: 250,
      wait: (_ms, signal) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('woken')))),
    })
    expect((await failure(source.instant('x', at))).details).toBe('prod: no answer within 0.25 s')
    expect(server.asked).toHaveLength(1)
  })

  test('closes the connection, so that the source can stop working on the query', async () => {
    const { server, source } = troubled('hang', { timeoutMs: 100 })
    await failure(source.instant('x', at))
    await server.until(() => server.openConnections() === 0)
    expect(server.connections()).toBe(1)
  })
})

describe('slots', () => {
  test('bound the questions in flight per source, and an urgent one needs none', async () => {
    const { server, source, prometheus, access } = troubled('hang', { concurrency: 2 })
    const asked = (name: string) => server.asked.some(({ parameters }) => parameters['query'] === name)
    const waiting = ['a', 'b', 'c', 'd'].map((name) => failure(source.instant(name, at, { timeoutMs: 400 })))
    const urgent = failure(prometheus.open(access).instant('urgent', at, { urgent: true, timeoutMs: 400 }))
    const other = failure(prometheus.open({ ...access, id: 8 }).instant('other source', at, { timeoutMs: 400 }))
    await server.until(() => ['a', 'b', 'urgent', 'other source'].every(asked))
    expect(asked('c') || asked('d')).toBe(false)
    await Promise.all([...waiting, urgent, other])
  })

  test('are given back after every kind of failure', async () => {
    const { server, source } = troubled('html', { concurrency: 1 })
    await failure(source.instant('x', at))
    server.order('reset')
    await failure(source.instant('x', at))
    server.order('hang')
    await failure(source.instant('x', at, { timeoutMs: 100 }))
    server.order('ok')
    expect((await source.instant('x', at)).data.resultType).toBe('vector')
  })
})

describe('asking again', () => {
  test.each<Fault>(['reset', 'cut', { status: 503, body: 'starting' }, { status: 429 }])(
    'helps where %j was a passing trouble',
    async (fault) => {
      const { server, source, pauses } = troubled()
      server.order(fault, 2)
      expect((await source.instant('x', at)).data).toMatchObject({ result: [{ value: [at, '0.999'] }] })
      expect(server.asked).toHaveLength(3)
      expect(pauses).toEqual([100, 200])
    },
  )

  test.each<Fault>(['reset', { status: 503 }])('happens twice at most for %j', async (fault) => {
    const { server, source } = troubled(fault)
    await failure(source.instant('x', at))
    expect(server.asked).toHaveLength(3)
  })

  test.each<Fault>([
    'timeout-503',
    'limit-422',
    'html',
    'redirect',
    'broken-json',
    { status: 400 },
    { status: 401 },
    { status: 500 },
  ])('does not happen after %j', async (fault) => {
    const { server, source, pauses } = troubled(fault)
    await failure(source.instant('x', at))
    expect(server.asked).toHaveLength(1)
    expect(pauses).toEqual([])
  })

  test('waits as long as the source wishes', async () => {
    const { server, source, pauses } = troubled()
    server.order('too-many-429', 1)
    await source.instant('x', at)
    expect(pauses).toEqual([1000])
  })

  test('reads a wish that is a date by the clock of the source', async () => {
    const { server, source, pauses } = troubled()
    const headers = { Date: 'Sat, 21 Nov 2026 07:50:22 GMT', 'Retry-After': 'Sat, 21 Nov 2026 07:50:25 GMT' }
    server.order({ status: 503, headers }, 1)
    await source.instant('x', at)
    expect(pauses).toEqual([3000])
  })

  test('does not begin a pause that outlasts the deadline', async () => {
    const { server, source, pauses } = troubled({ status: 429, headers: { 'Retry-After': '60' } })
    expect((await failure(source.instant('x', at))).details).toBe('prod: HTTP 429, it asks for fewer queries')
    expect(server.asked).toHaveLength(1)
    expect(pauses).toEqual([])
  })
})
