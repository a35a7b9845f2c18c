import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createExposition } from '../../src/status/exposition.ts'
import type { Evaluation } from '../../src/evaluation/evaluation-store.ts'
import { readState } from '../../src/evaluation/read-state.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { evaluation, failure, put } from '../support/evaluations.ts'
import { readExposition } from '../support/exposition.ts'
import { checkout } from '../support/slo-calls.ts'

let nines: TestApp
beforeEach(async () => {
  nines = await testApp({ env: { METRICS_TOKEN: 'sesame' } })
  await nines.join('ada')
})
afterEach(() => nines.close())

const scrape = async () => readExposition((await nines.call('GET', '/metrics', undefined, { token: 'sesame' })).text)
const create = async (change: object = {}, token?: string): Promise<number> =>
  (await nines.call('POST', '/api/v1/slos', { ...checkout, ...change }, token === undefined ? {} : { token })).body.id
const evaluated = (change: Partial<Evaluation>) => put(nines.app.db.write, evaluation(change))
const perSlo = ['slo_sli_ratio', 'slo_current_sli_ratio', 'slo_error_budget_remaining_ratio', 'slo_target_ratio']
const tier = {
  severity: 'page',
  factor: 14.4,
  min_events: 0,
  enabled: true,
  long_bad_events: null,
  firing: false,
} as const

/** Status in the SLO's state set, and the number of its samples. */
async function statusOf(sloId: number) {
  const set = (await scrape()).all('slo_status').filter(({ labels }) => labels['slo_id'] === String(sloId))
  const named = set.flatMap(({ labels, value }) => (value === 1 ? [labels['status']] : []))
  return [set.length, ...named]
}

test('an SLO has series of its status, ratios and burn rates', async () => {
  const slo_id = String(await create())
  await evaluated({
    status: 'warning',
    current: 99.8,
    own: 99.95,
    budgetUsed: 50,
    burnRates: [
      { ...tier, long_seconds: 3600, short_seconds: 300, long: 0.5, short: 2 },
      { ...tier, long_seconds: 21_600, short_seconds: 1800, long: 0.25, short: null },
      { ...tier, long_seconds: 259_200, short_seconds: 120, long: 0, short: 7 },
    ],
  })
  const { all, value } = await scrape()
  const labels = { slo_id, slo_name: 'Checkout', organization: 'ada Inc', team: 'Default' }
  expect(all('slo_status')).toEqual(
    ['healthy', 'warning', 'critical', 'unknown'].map((status) => ({
      name: 'slo_status',
      labels: { ...labels, status },
      value: status === 'warning' ? 1 : 0,
    })),
  )
  expect(perSlo.map((name) => value(name, labels))).toEqual([0.9995, 0.998, 0.5, 0.999])
  const rates = all('slo_burn_rate').map((one) => [one.labels['window'], one.value])
  expect(Object.fromEntries(rates)).toEqual({ '1h': 0.5, '5m': 2, '6h': 0.25, '72h': 0, '2m': 7 })
})

test('the used budget of the window is scaled by the share that exists', async () => {
  await evaluated({ sloId: await create(), budgetUsed: 250, windowShare: 0.1 })
  expect((await scrape()).value('slo_window_error_budget_used_ratio')).toBe(0.25)
})

test('an overspent budget is below 0', async () => {
  await evaluated({ sloId: await create(), budgetUsed: 250 })
  expect((await scrape()).value('slo_error_budget_remaining_ratio')).toBe(-1.5)
})

describe('what is not known of an SLO has no sample', () => {
  test('before its first evaluation', async () => {
    const id = await create()
    expect(await statusOf(id)).toEqual([4, 'unknown'])
    expect((await scrape()).samples.flatMap(({ name }) => (perSlo.includes(name) ? [name] : []))).toEqual([
      'slo_target_ratio',
    ])
  })

  test.each([
    ['failed', 0, () => put(nines.app.db.write, failure())],
    ['is older than three intervals', 181_000, async () => {}],
  ])('where the last one %s', async (_, laterMs, then) => {
    const id = await create()
    await evaluated({ sloId: id })
    expect(await statusOf(id)).toEqual([4, 'healthy'])
    nines.clock.advance(laterMs)
    await then()
    expect(await statusOf(id)).toEqual([4, 'unknown'])
    const { all } = await scrape()
    expect([...perSlo, 'slo_burn_rate'].map((name) => all(name).length)).toEqual([0, 0, 0, 1, 0])
  })
})

test('a deleted SLO has no series, until it is restored', async () => {
  const [id, other] = [await create(), await create({ name: 'Other' })]
  const ids = async () => (await scrape()).all('slo_target_ratio').map(({ labels }) => labels['slo_id'])
  await nines.call('DELETE', `/api/v1/slos/${id}`)
  expect(await ids()).toEqual([String(other)])
  expect((await scrape()).value('nines_slos')).toBe(1)
  await nines.call('PUT', `/api/v1/slos/${id}`, { active: true })
  expect(await ids()).toEqual([String(id), String(other)])
})

test('two organizations of one name may have an SLO of one name', async () => {
  const eve = await nines.join('eve')
  await nines.app.db.write.updateTable('organizations').set({ name: 'Acme' }).execute()
  const ids = [await create(), await create({}, eve)].map(String)
  const { all } = await scrape()
  expect(all('slo_target_ratio').map(({ labels }) => labels)).toEqual(
    ids.map((slo_id) => ({ slo_id, slo_name: 'Checkout', organization: 'Acme', team: 'Default' })),
  )
})

test.each(['"', '\\', '\\n', '\\"} 1', 'a="b",c="d"', '# HELP up', '{}', '日本 🚀', "O'Neil", '\u00a0x', 'x\\'])(
  'a name like %p comes through as it is',
  async (name) => {
    await nines.app.db.write.updateTable('organizations').set({ name }).execute()
    expect(await create({ name, labels: { label: name } })).toBe(1)
    const said = { slo_name: name.trim(), organization: name }
    const { all } = await scrape()
    expect(all('slo_target_ratio')).toMatchObject([{ labels: said, value: 0.999 }])
    expect(all('slo_labels_info')).toMatchObject([{ labels: { ...said, label_label: name.trim() }, value: 1 }])
  },
)

test('labels that Prometheus takes for the same are one, the first', async () => {
  await create({ labels: { 'app.name': 'first', 'app-name': 'second', tier: '1' } })
  await create({ name: 'Bare' })
  const [info, ...others] = (await scrape()).all('slo_labels_info')
  expect(others).toEqual([])
  expect(info?.labels).toMatchObject({ slo_name: 'Checkout', label_app_name: 'first', label_tier: '1' })
})

test('an SLO that is deleted while the page is made, or is of another organization, is not omitted', async () => {
  const first = await create()
  await create()
  await create({}, await nines.join('bob'))
  const maxUsed = async () => {
    await nines.call('DELETE', `/api/v1/slos/${first}`)
    return {}
  }
  const expose = createExposition({
    ...nines.app,
    quotaUse: { ...nines.app.quotaUse, maxUsed },
    dataDir: nines.dataDir,
    readiness: async () => {},
    stateOf: (state, nowMs) => readState(state, nowMs, 60),
  })
  for (const [reader, slos] of [
    ['all', 2],
    ['first', 1],
  ] as const) {
    const { all, value } = readExposition(Buffer.from(await expose(reader)).toString())
    expect([all('slo_target_ratio').length, value('nines_slo_series_omitted')]).toEqual([slos, 0])
  }
})

test('more SLOs than there may be series for: the newest have none, and the log says so once', async () => {
  const expose = createExposition({
    ...nines.app,
    maxSlos: 120,
    dataDir: nines.dataDir,
    readiness: async () => {},
    stateOf: (state, nowMs) => readState(state, nowMs, 60),
  })
  const told = async () => readExposition(Buffer.from(await expose('all')).toString())
  const warnings = () => nines.logged.filter((line) => line.includes('more SLOs than /metrics has series for'))
  for (let made = 0; made < 120; made += 1) await create()
  expect((await told()).value('nines_slo_series_omitted')).toBe(0)
  expect(warnings()).toEqual([])
  const late = String(await create())
  for (let again = 0; again < 2; again += 1) {
    const { all, value } = await told()
    expect([all('slo_target_ratio').length, value('nines_slo_series_omitted'), value('nines_slos')]).toEqual([
      120, 1, 121,
    ])
    expect(all('slo_target_ratio').map(({ labels }) => labels['slo_id'])).not.toContain(late)
  }
  expect(warnings()).toHaveLength(1)
})
