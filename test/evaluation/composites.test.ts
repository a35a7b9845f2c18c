import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { Evaluation } from '../../src/evaluation/evaluation-store.ts'
import { sumWindows } from '../../src/ledger/window-sums.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { countedSlo, countingScript, type Services } from '../support/counting-source.ts'
import { type FakeSource, fakeSource } from '../support/fake-source.ts'
import { seeded } from '../support/seeded.ts'

let source: FakeSource
let nines: TestApp
beforeEach(async () => {
  source = fakeSource(countingScript({}))
  nines = await testApp({ env: { SOURCE_URL: source.url } })
  await nines.join('ada')
})
afterEach(async () => {
  await nines.close()
  source.close()
})

const target = 99
const windowSeconds = 86_400
const tiers = [{ long_window: '1h', short_window: '10m', factor: 5, severity: 'page' }]

async function create(slo: object): Promise<number> {
  const { status, body } = await nines.call('POST', '/api/v1/slos', slo)
  expect({ status, body }).toMatchObject({ status: 201 })
  await nines.call('PUT', `/api/v1/slos/${body.id}/alerting`, { burn_rate_tiers: tiers })
  return body.id
}

const journey = (composite: object, more = {}) => ({
  name: 'Buying',
  target,
  time_window: '24h',
  metric_type: 'availability',
  composite,
  ...more,
})

/** An SLO that counts time: a number for each minute. */
const timed = (name: string) => ({
  name,
  target,
  time_window: '24h',
  metric_type: 'availability',
  metric_query: `max(share_${name})`,
  query_unit: 'ratio',
})

type Values = { ratio: number | null; covered: number; good: number | null; total: number | null }

/** Values of a member over its window, as its ledger says; null: it was not evaluated. */
async function ownOf(one: Evaluation | undefined): Promise<Values | null> {
  if (!one) return null
  const { sloId, revision, atSeconds: endSeconds } = one
  const window = { sloId, revision, startSeconds: endSeconds - windowSeconds, endSeconds }
  const [sum = { good: 0, total: 0, coveredSeconds: 0 }] = await sumWindows(nines.app.db.read, [window], endSeconds)
  const { good, total, coveredSeconds } = sum
  return { ratio: total > 0 ? good / total : null, covered: coveredSeconds / windowSeconds, good, total }
}

function rateOf(one: Evaluation | undefined, window: 'long' | 'short'): Values | null {
  if (!one) return null
  const rate = one.burnRates[0]?.[window] ?? null
  const ratio = rate === null ? null : 1 - (rate * (100 - target)) / 100
  return { ratio, covered: ratio === null ? 0 : 1, good: null, total: null }
}

/** The formula of docs/slo-math.md over the answers of the members; null: not known. */
function formula(method: string, rule: string, weights: number[], members: (Values | null)[]): number | null {
  let known = members.flatMap((one, place) => (one && one.covered > 0 ? [{ ...one, weight: weights[place] ?? 1 }] : []))
  if (rule === 'unknown' && known.length < members.length) return null
  const best = Math.max(...known.map(({ covered }) => covered))
  if (rule === 'leave_out') known = known.filter(({ covered }) => covered >= best / 2)
  if (method === 'events') {
    const total = known.reduce((sum, one) => sum + (one.total ?? 0), 0)
    return total === 0 ? null : known.reduce((sum, one) => sum + (one.good ?? 0), 0) / total
  }
  const ratios = known.flatMap(({ ratio, weight }) => (ratio === null ? [] : [{ ratio, weight }]))
  if (ratios.length === 0) return null
  if (method === 'worst') return Math.min(...ratios.map(({ ratio }) => ratio))
  return (
    ratios.reduce((sum, { ratio, weight }) => sum + ratio * weight, 0) /
    ratios.reduce((sum, { weight }) => sum + weight, 0)
  )
}

test.each([1, 2])('a composite equals the formula over its members at every minute of history %p', async (seed) => {
  const random = seeded(seed)
  const startSeconds = Math.floor(nines.clock.now() / 1000)
  const noise = new Map<string, Map<number, number>>() // of names by minute: the source asks for the same ones millions of times
  const noiseAt = (name: string, at: number) => {
    const ofName = noise.get(name) ?? new Map<number, number>()
    noise.set(name, ofName)
    return ofName.getOrInsertComputed(Math.floor(at / 60), random)
  }
  const services: Services = Object.fromEntries(
    ['shop', 'cart', 'pay'].map((name) => [
      name,
      (at: number) => {
        const value = noiseAt(name, at)
        if (at > startSeconds && noiseAt(`${name} gap`, Math.floor(at / 900) * 900) < 0.15) return null
        return { total: 1 + Math.floor(value * 50), bad: value < 0.2 ? Math.floor(value * 20) : 0 }
      },
    ]),
  )
  const counting = countingScript(services)
  source.script((expression, at) => {
    const [, name] = /share_(\w+)/.exec(expression) ?? []
    if (name === undefined) return counting(expression, at)
    if (at > startSeconds && noiseAt(`${name} gap`, Math.floor(at / 900) * 900) < 0.15) return null
    return noiseAt(name, at) < 0.1 ? 0.5 : 1
  })
  const counted: number[] = []
  for (const name of ['shop', 'cart', 'pay'])
    counted.push(await create({ ...countedSlo(name), target, time_window: '24h' }))
  const mixed = [...counted.slice(0, 2), await create(timed('login'))]
  const weights = [1, 2.5, 4]
  const composites: { id: number; method: string; rule: string; ids: number[] }[] = []
  for (const rule of ['unknown', 'leave_out']) {
    for (const method of ['weighted', 'events', 'worst']) {
      const ids = method === 'events' ? counted : mixed
      const members = ids.map((slo_id, place) => ({ slo_id, ...(method === 'weighted' && { weight: weights[place] }) }))
      composites.push({ id: await create(journey({ method, members, on_unknown_member: rule })), method, rule, ids })
    }
  }
  await nines.app.backfills.run()
  await nines.app.evaluator.evaluateAll()
  const all = [...new Set([...counted, ...mixed])]
  let checked = 0
  for (let minute = 0; minute < 20; minute += 1) {
    nines.clock.advance(60_000)

    if (random() < 0.1) {
      const id = all[Math.floor(random() * all.length)]
      const [field, value] = random() < 0.5 ? ['paused', random() < 0.4] : ['active', random() < 0.6]
      await nines.call('PUT', `/api/v1/slos/${id}`, { [String(field)]: value })
    }
    const done = new Map((await nines.app.evaluator.evaluateAll()).map((one) => [one.sloId, one]))
    for (const { id, method, rule, ids } of composites) {
      const one = done.get(id)
      const owns = await Promise.all(ids.map((member) => ownOf(done.get(member))))
      const expected = formula(method, rule, weights, owns)
      const where = `${method} ${rule} in minute ${minute}`
      if (expected === null) expect([where, one?.own]).toEqual([where, null])
      else
        expect([where, Math.abs((one?.own ?? -1) - 100 * expected) < 1e-6 || [one?.own, expected, owns]]).toEqual([
          where,
          true,
        ])
      checked += expected === null ? 0 : 1
      if (method === 'events') continue
      for (const window of ['long', 'short'] as const) {
        const ratio = formula(
          method,
          rule,
          weights,
          ids.map((member) => rateOf(done.get(member), window)),
        )
        const rate = one?.burnRates[0]?.[window] ?? null
        const at = `${where}, ${window}: ${rate} for ${ratio}`
        if (rule === 'unknown' && ratio === null) expect([at, rate]).toEqual([at, null])
        else if (ratio !== null && rate !== null)
          expect([at, Math.abs(1 - rate / 100 - ratio) < 1e-6]).toEqual([at, true])
      }
    }
  }
  expect(checked).toBeGreaterThan(20)
})

test('a composite of members that have had samples for ten minutes is known, as they are', async () => {
  const startSeconds = Math.floor(nines.clock.now() / 1000)
  const young = (at: number) => (at < startSeconds ? null : { total: 10, bad: 1 })
  source.script(countingScript({ shop: young, cart: young }))
  const ids = [await create(countedSlo('shop')), await create(countedSlo('cart'))]
  const id = await create(journey({ method: 'worst', members: ids.map((slo_id) => ({ slo_id })) }))
  await nines.app.backfills.run()
  let last: Evaluation[] = []
  for (let minute = 0; minute < 10; minute += 1) {
    nines.clock.advance(60_000)
    last = await nines.app.evaluator.evaluateAll()
  }
  const statusOf = (sloId: number) => last.find((one) => one.sloId === sloId)?.status
  expect(ids.map(statusOf)).toEqual(['critical', 'critical'])
  expect(statusOf(id)).toBe('critical')
})
