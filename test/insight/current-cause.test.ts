import { describe, expect, test } from 'bun:test'
import { createCauseFinder } from '../../src/insight/current-cause.ts'
import type { Source, VectorSample } from '../../src/sources/source.ts'
import { AppError } from '../../src/errors.ts'
import { tiers } from '../notifications/alerts/alerting.ts'
import { evaluation, testStartSeconds } from '../support/evaluations.ts'
import { plan } from '../sli/planned.ts'

const sum = (selector: string) => `sum(rate(requests_total${selector}[5m]))`
const shopPlan = plan({ bad_query: sum('{code="500"}'), total_query: sum('') })
const recent = { seconds: 300, rate: 20, events: 100, badEvents: 32, isBeyondChance: true, isCovered: true }
const burning = (sloId: number) => evaluation({ sloId, ...tiers({ 1: true }), recent })
const calm = (sloId: number) =>
  evaluation({ sloId, ...tiers({}), recent: { ...recent, rate: 0, isBeyondChance: false } })
const ids = (count: number) => Array.from({ length: count }, (_, n) => n + 1)

/** A source in which `/pay` has all failures; `script` may answer in its place. */
function scripted(script: () => Promise<void> = async () => {}) {
  const asked: string[] = []
  const sample = (route: string, count: number): VectorSample => ({ metric: { route }, value: [0, String(count)] })
  const source: Source = {
    name: 'shop',
    async instant(expression) {
      asked.push(expression)
      await script()
      const result = expression.includes('500') ? [sample('/pay', 100)] : [sample('/pay', 300), sample('/search', 700)]
      return { data: { resultType: 'vector', result }, warnings: [], infos: [], isPartial: false, durationMs: 0 }
    },
    range: () => Promise.reject(new Error('must be an instant query')),
  }
  return { source, asked }
}

const logged: string[] = []
const note = (message: string) => void logged.push(message)
const log = { debug: note, info: note, warn: note, error: note }

function world(script?: () => Promise<void>, timeoutMs = 60_000) {
  const { source, asked } = scripted(script)
  const findCauses = createCauseFinder({ log, timeoutMs })
  let atSeconds = testStartSeconds
  return {
    asked,
    /** Evaluates in the next minute, or in the same one again; returns the values that fail, and the number of queries. */
    async minute(slos: ReturnType<typeof evaluation>[], { isSame = false } = {}) {
      atSeconds += isSame ? 0 : 60
      const before = asked.length
      const chunk = { source, planned: slos.map(({ sloId: id }) => ({ slo: { id }, plan: shopPlan })), atSeconds }
      const causeOf = await findCauses(chunk, slos)
      return { values: slos.map(({ sloId }) => causeOf(sloId)?.value), queries: asked.length - before }
    },
  }
}

describe('the causes of what burns', () => {
  test('cost nothing while nothing burns', async () => {
    const { minute, asked } = world()
    await minute(ids(50).map(calm))
    await minute([evaluation({ sloId: 1, ...tiers({ 1: true }), recent: { ...recent, isBeyondChance: false } })])
    expect(asked).toEqual([])
  })

  test('are asked once a minute over the newest stretch, by one query for each side', async () => {
    const { minute, asked } = world()
    expect(await minute([burning(1)])).toEqual({ values: ['/pay'], queries: 2 })
    expect(asked.every((expression) => expression.includes('[300s]'))).toBe(true)
    expect(await minute([burning(1)], { isSame: true })).toEqual({ values: ['/pay'], queries: 0 })
    expect(await minute([burning(1)])).toEqual({ values: ['/pay'], queries: 2 })
  })

  test('are asked of 8 SLOs in a minute, and renewed of 4', async () => {
    const { minute } = world()
    const all = ids(10).map(burning)
    expect(await minute(all)).toEqual({ values: [...ids(8).map(() => '/pay'), undefined, undefined], queries: 16 })
    expect(await minute(all)).toEqual({ values: ids(10).map(() => '/pay'), queries: 8 })
    expect((await minute(all)).queries).toBe(8)
  })

  test('are forgotten once it does not burn', async () => {
    const { minute } = world()
    await minute([burning(1)])
    expect(await minute([calm(1)])).toEqual({ values: [undefined], queries: 0 })
  })

  test('are not known where the source refuses, and that is no error', async () => {
    const { minute } = world(() => Promise.reject(new AppError('source_unavailable', 'away')))
    expect((await minute([burning(1)])).values).toEqual([undefined])
    expect(logged).toEqual([])
  })

  test('are not waited for longer than the limit', async () => {
    const { minute } = world(() => new Promise(() => {}), 1)
    expect((await minute([burning(1), burning(2)])).values).toEqual([undefined, undefined])
  })
})
