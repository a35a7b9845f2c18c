import { expect, test } from 'bun:test'
import { endOrphanedAlerts } from '../../src/notifications/alerts/raise-alerts.ts'
import { probedSite } from './probed-site.ts'

const { world, failing, watch, pass } = probedSite()

/** Figures of the newest outage at each of so many seconds: of its SLO, of where the budget went (`row`), and of its incident. */
async function eachSecond(seconds: number) {
  const all = []
  for (let second = 0; second < seconds; second += 1) {
    await pass(1)
    all.push(await figures())
  }
  return all
}

async function figures() {
  const { error_budget, forecast } = (await world.nines.call('GET', '/api/v1/slos/1/budget')).body
  const [row] = (await world.nines.call('GET', '/api/v1/slos/1/incidents')).body.incidents
  const [incident] = (await world.nines.call('GET', '/api/v1/incidents?state=all')).body.incidents
  const { percentage_used, window_percent_used: used } = error_budget
  const ofWindow = row && { ...row, budget_used_percent: (row.budget_used_percent * used) / percentage_used }
  return { used, exhaustsAt: forecast.exhausts_at, row: ofWindow, incident, nowMs: world.nines.clock.now() }
}

test('at each second of an outage its cost is the budget used, also after an edit of the target', async () => {
  await watch()
  await world.nines.app.backfills.run()
  await pass(185, 5)
  failing.add('/')
  const before = await eachSecond(100)
  await world.nines.call('PUT', '/api/v1/slos/1', { target: 99.5 })
  const edited = await figures()
  expect(edited.used).toBeCloseTo((before.at(-1)?.used ?? 0) / 5, 6)
  const after = await eachSecond(60)
  failing.clear()
  const costs = [...before, edited, ...after, ...(await eachSecond(90))].filter(({ used }) => used > 0)
  expect(costs.length).toBeGreaterThan(200)
  for (const { used, row, incident } of costs) {
    expect(row.budget_used_percent).toBeCloseTo(used, 6)
    if (incident) expect(incident.budget_percent).toBeCloseTo(used, 6)
  }
}, 300_000)

test('at each second of an outage that relapsed and recovered again its cost is the budget used', async () => {
  await watch()
  await world.nines.app.backfills.run()
  await pass(185, 5)
  failing.add('/')
  await pass(100)
  failing.clear()
  await pass(130)
  failing.add('/')
  await pass(11) // the check that confirms it
  const relapsed = await eachSecond(64)
  failing.clear()
  for (const { used, row, incident } of [...relapsed, ...(await eachSecond(130))]) {
    expect(incident.relapses).toBe(1)
    expect(row.budget_used_percent).toBeCloseTo(used, 6)
    expect(incident.budget_percent).toBeCloseTo(used, 6)
  }
}, 300_000)

test('at each second an outage has lasted as long by its incident as by where the budget went, and its budget is gone at one moment', async () => {
  await watch()
  await world.nines.app.backfills.run()
  await pass(185, 5)
  failing.add('/')
  const outage = await eachSecond(240)
  const moments = outage.flatMap(({ exhaustsAt }) => exhaustsAt ?? [])
  expect(moments.length).toBeGreaterThan(200)
  expect(new Set(moments).size).toBe(1)
  const [{ exhausts_at }] = (await world.nines.call('GET', '/api/v1/slos/overview')).body.slos
  expect(exhausts_at).toBe(moments[0])
  const down = outage.filter(({ incident }) => incident)
  expect(down.length).toBeGreaterThan(190)
  for (const { row, incident, nowMs } of down)
    expect([row.began_at, row.duration_seconds]).toEqual([
      incident.began_at,
      (nowMs - Date.parse(incident.began_at)) / 1000,
    ])
  failing.clear()
  for (const { row, incident } of [...down, ...(await eachSecond(90))]) {
    expect(row.duration_seconds).toBe(incident.duration_seconds)
    if (incident.recovered_at !== null)
      expect([row.ended_at, row.failing_seconds]).toEqual([incident.recovered_at, incident.duration_seconds])
  }
}, 300_000)

test("at each second of an outage today's bar is what the budget says of today", async () => {
  await watch()
  await world.nines.app.backfills.run()
  await pass(185, 5)
  failing.add('/')
  for (let second = 0; second < 100; second += 1) {
    await pass(1)
    const { error_budget } = (await world.nines.call('GET', '/api/v1/slos/1/budget')).body // all of its past is today
    const [{ days }] = (await world.nines.call('GET', '/api/v1/slos/overview')).body.slos
    expect(days.at(-1)).toBeCloseTo(error_budget.percentage_used, 1)
  }
}, 300_000)

/** Pauses the SLO for so many seconds, in which it is checked but not evaluated, and resumes it. */
async function pauseFor(seconds: number) {
  const { call, app } = world.nines
  await call('PUT', '/api/v1/slos/1', { paused: true })
  world.readsProbes = false
  await pass(35)
  await endOrphanedAlerts(app)
  await pass(seconds - 35, 5)
  await call('PUT', '/api/v1/slos/1', { paused: false })
  await app.backfills.run()
  world.readsProbes = true
}

test.each([50, 20 * 60])(
  'an outage within which its SLO was paused for %d s is two incidents, which cost no more than was used',
  async (seconds) => {
    const { call, app, clock } = world.nines
    await watch()
    await app.backfills.run()
    await pass(185, 5)
    failing.add('/')
    await pass(184)
    await pauseFor(seconds)
    const resumedMs = clock.now()
    await pass(95)
    const { error_budget } = (await call('GET', '/api/v1/slos/1/budget')).body
    const { percentage_used, window_percent_used: used } = error_budget
    const rows = (await call('GET', '/api/v1/slos/1/incidents')).body.incidents.toSorted(byBegin)
    const incidents = (await call('GET', '/api/v1/incidents?state=all')).body.incidents.toSorted(byBegin)
    expect(incidents.map(({ close_reason }: { close_reason: string }) => close_reason)).toEqual(['not_evaluated', null])
    expect(incidents[1].began_at).toBe(new Date(resumedMs).toISOString())
    expect(incidents[1].duration_seconds).toBe(95)
    const ofAlerts = rows.filter(({ id }: { id: number | null }) => id !== null)
    expect(ofAlerts).toHaveLength(2)
    for (const [place, row] of ofAlerts.entries()) {
      expect([row.id, row.began_at, row.duration_seconds]).toEqual([
        incidents[place].id,
        incidents[place].began_at,
        incidents[place].duration_seconds,
      ])
      expect((row.budget_used_percent * used) / percentage_used).toBeCloseTo(incidents[place].budget_percent, 6)
    }
    const sum = rows.reduce((all: number, row: { budget_used_percent: number }) => all + row.budget_used_percent, 0)
    expect(sum).toBeCloseTo(percentage_used, 6)
    expect(rows.map(({ ongoing }: { ongoing: boolean }) => ongoing)).toEqual([...rows.slice(1).map(() => false), true])
  },
  300_000,
)

const byBegin = (one: { began_at: string }, other: { began_at: string }) => one.began_at.localeCompare(other.began_at)

test('at each second after the first check of a probe, its failed checks cost an interval each', async () => {
  const { clock, call, app } = world.nines
  clock.advance(50_000)
  failing.add('/')
  await watch()
  await app.backfills.run()
  const intervalPercent = 100 * (30 / (0.001 * 30 * 86_400))
  const incidents = []
  let firstMs = 0
  for (let second = 0; second < 240; second += 1) {
    await pass(1)
    firstMs ||= app.collector.probesOf(1)?.[0]?.failedMs ?? 0
    const checks = Math.floor((clock.now() - firstMs) / 30_000) + 1
    const [{ window_percent_used: used }] = (await call('GET', '/api/v1/slos/overview')).body.slos
    if (used === null) continue
    expect(used).toBeCloseTo(checks * intervalPercent, 6)
    const { incident } = await figures()
    if (!incident) continue
    incidents.push(incident)
    expect(incident.budget_percent).toBeCloseTo(used, 6)
  }
  expect(incidents.length).toBeGreaterThan(200)
}, 300_000)
