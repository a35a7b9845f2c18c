import { expect, test } from 'bun:test'
import { setImmediate as turn } from 'node:timers/promises'
import { probedSite, slo } from './probed-site.ts'

const { world, failing, post, watch, outbox, pass, stateOf, evaluatedAtMs, downs, restart } = probedSite()

test('an outage of a probed SLO is one message within 20 s of the first failed check, and one when it is up again', async () => {
  await watch()
  expect(await pass(180)).toEqual([])
  failing.add('/')
  const opened = [...(await pass(60)), ...(await pass(11 * 60, 5))]
  expect(opened).toHaveLength(1)
  const [[atSeconds, subject] = []] = opened
  expect(atSeconds).toBeLessThanOrEqual(30 + 20)
  expect(subject).toMatch(/^My site is down since \d\d:\d\d:\d\d UTC: HTTP 503, expected 2xx$/)
  failing.clear()
  const atEnd = await pass(90)
  const { incidents } = (await world.nines.call('GET', '/api/v1/incidents')).body
  expect(incidents[0].state).toBe('recovering')
  expect(incidents[0].budget_percent).toBeCloseTo((100 * incidents[0].duration_seconds) / (30 * 86.4), 6) // as in the message
  const ended = [...atEnd, ...(await pass(75 * 60, 5))]
  expect(ended).toHaveLength(1)
  const [[endedAtSeconds, end] = []] = ended
  expect(endedAtSeconds).toBeLessThanOrEqual(2 * 30 + 5)
  expect(end).toBe('My site is up again after 12 min')
  expect((await outbox()).at(-1)?.message).toStartWith('This outage used 28 % of the 30 d budget (12 of 43 min).')
}, 300_000)

test('the end of an outage that began again within the minute of its first end costs both', async () => {
  await watch({}, { interval_seconds: 5 })
  await world.nines.app.backfills.run()
  await pass(180 + 42)
  for (const [failedSeconds, upSeconds] of [
    [40, 30],
    [30, 40],
  ] as const) {
    failing.add('/')
    await pass(failedSeconds)
    failing.clear()
    await pass(upSeconds)
  }
  const ends = (await outbox()).filter(({ incident_event }) => incident_event === 'recovered')
  expect(ends.map(({ message }) => /^.*budget \(.*?\)/.exec(message)?.[0])).toEqual([
    'This outage used 1.5 % of the 30 d budget (0.6 of 43 min)',
    'This incident used 2.7 % of the 30 d budget (1.1 of 43 min)',
  ])
  await pass(60)
  const { incidents } = (await world.nines.call('GET', '/api/v1/incidents')).body
  expect(incidents[0].budget_percent).toBeCloseTo((100 * 70) / (30 * 86.4), 6)
}, 300_000)

test('the condition that an answer does not meet is the reason in the message, the incident and the list of checks', async () => {
  const settings = { json_conditions: ['$.status == "UP"'] }
  world.site.next(...Array.from({ length: 20 }, () => () => Response.json({ status: 'DOWN' })))
  await watch({}, { settings })
  const reason = 'the answer\'s $.status is "DOWN", not "UP"'
  const [[, subject] = []] = await downs(90)
  expect(subject).toEndWith(`UTC: ${reason}`)
  const { incidents } = (await world.nines.call('GET', '/api/v1/incidents')).body
  expect(JSON.stringify(incidents[0])).toContain(JSON.stringify(reason).slice(1, -1))
  expect((await world.nines.call('GET', '/api/v1/slos/1/checks')).body.checks[0].error).toBe(reason)
}, 300_000)

test('a failed check counts in all figures at once, and once only', async () => {
  await watch()
  await world.nines.app.backfills.run()
  expect(await pass(185, 5)).toEqual([])
  failing.add('/')
  const read = async () => {
    const { error_budget, sli, minutes, burn_down } = (await world.nines.call('GET', '/api/v1/slos/1/budget')).body
    const [{ window_percent_used }] = (await world.nines.call('GET', '/api/v1/slos/overview')).body.slos
    expect(window_percent_used).toBe(error_budget.window_percent_used)
    expect(burn_down.at(-1).remaining_percent).toBeCloseTo(100 - window_percent_used, 6)
    const went = (await world.nines.call('GET', '/api/v1/slos/1/incidents')).body
    expect(went.budget_used_percent).toBeCloseTo(error_budget.percentage_used, 6)
    const scale = window_percent_used / error_budget.percentage_used // to the budget of the whole window
    return {
      sli,
      usedMinutes: minutes.used,
      costs: went.incidents.map((one: { budget_used_percent: number }) => one.budget_used_percent * scale),
    }
  }
  expect(await read()).toEqual({ sli: 100, usedMinutes: 0, costs: [] })
  for (let second = 0; second < 30 && (await read()).sli === 100; second += 1) {
    await pass(1)
  }
  const atFirst = await read()
  expect(atFirst.sli).toBeLessThan(100)
  expect(atFirst.usedMinutes).toBeCloseTo(0.5, 2)
  failing.clear()
  await pass(90)
  const { usedMinutes, costs } = await read()
  expect(usedMinutes).toBeCloseTo(0.5, 2)
  expect(costs).toEqual([expect.closeTo((100 * 0.5) / 43.2, 2)])
}, 300_000)

test('each failed check of an outage counts at once, and evaluates no SLO that reads another probe', async () => {
  await post('/embedded/probes', { name: 'other', type: 'http', target: `${world.site.url}/other` })
  await watch()
  await post('/slos', { ...slo, name: 'Other site', metric_query: 'probe_success{job="other"}' })
  await world.nines.app.backfills.run()
  await pass(185, 5)
  failing.add('/')
  expect(await downs(45)).toHaveLength(1)
  const read = async () => {
    const { minutes } = (await world.nines.call('GET', '/api/v1/slos/1/budget')).body
    const { checks } = (await world.nines.call('GET', '/api/v1/slos/1/checks')).body
    const { evaluated_at } = await stateOf(2)
    return { used: Math.round(60 * minutes.used), newest: checks[0].at, other: evaluated_at }
  }
  const grown: number[] = []
  for (let [second, before] = [0, await read()]; second < 150; second += 1) {
    const queued = await pass(1)
    const after = await read()
    expect(queued).toEqual([])
    if (after.newest !== before.newest) grown.push(after.used - before.used)
    if ((world.nines.clock.now() / 1000) % 60 !== 5) expect(after.other).toBe(before.other)
    before = after
  }
  expect(grown).toEqual([30, 30, 30, 30, 30])
}, 300_000)

test('of an SLO that fails in its first minutes the budget loses what its checks failed, and no more', async () => {
  await watch()
  await world.nines.app.backfills.run()
  await pass(75)
  failing.add('/')
  await pass(80)
  failing.clear()
  await pass(75)
  const buckets = await world.nines.app.db.read.selectFrom('buckets').selectAll().where('resolution', '=', 60).execute()
  const failedSeconds = buckets.reduce((sum, { good, total }) => sum + total - good, 0)
  const { minutes, first_sample_at } = (await world.nines.call('GET', '/api/v1/slos/1/budget')).body
  expect(failedSeconds).toBeGreaterThanOrEqual(60)
  expect(minutes.used).toBeCloseTo(failedSeconds / 60, 4)
  expect(Date.parse(first_sample_at)).toBeGreaterThan(world.startedMs - 30_000)
}, 300_000)

test('a failed check evaluates the SLOs that read its probe, and no other', async () => {
  await post('/embedded/probes', { name: 'other', type: 'http', target: `${world.site.url}/other` })
  await post('/slos', { ...slo, name: 'Other site', metric_query: 'probe_success{job="other"}' })
  await watch()
  await pass(185, 5)
  const rows = async () => {
    const states = await world.nines.app.db.read.selectFrom('slo_states').select(['slo_id', 'evaluated_at']).execute()
    return new Map(states.map(({ slo_id, evaluated_at }) => [slo_id, evaluated_at]))
  }
  const before = await rows()
  failing.add('/')
  let after = before
  for (let second = 0; second < 50 && after.get(2) === before.get(2); second += 1) {
    await pass(1)
    after = await rows()
  }
  expect(after.get(2)).toBeGreaterThan(before.get(2) ?? Infinity)
  expect(after.get(1)).toBe(before.get(1))
}, 300_000)

test('an outage has its SLO evaluated after the failed check and once it is confirmed, not in between', async () => {
  await watch()
  await pass(185, 5)
  failing.add('/')
  let evaluations = 0
  for (let second = 0; second < 50; second += 1) {
    const before = await evaluatedAtMs()
    await pass(1)
    const isRound = (world.nines.clock.now() / 1000) % 60 === 5
    if (!isRound && (await evaluatedAtMs()) !== before) evaluations += 1
  }
  expect(evaluations).toBe(2)
}, 300_000)

test('an SLO over two probes is down only while both fail', async () => {
  await post('/embedded/probes', { name: 'other', type: 'http', target: `${world.site.url}/other` })
  world.readsSeveral = true
  await watch({ metric_query: 'min(probe_success{job=~"site|other"})' })
  await pass(90)
  failing.add('/')
  expect(await downs(120)).toEqual([])
  failing.add('/other')
  expect(await downs(120)).toHaveLength(1)
}, 300_000)

test('an SLO of another metric of a probe is never down', async () => {
  world.readsProbes = false
  await watch({ metric_query: 'probe_duration_seconds{job="site"} < bool 5' })
  await pass(90)
  failing.add('/')
  expect(await downs(180)).toEqual([])
}, 300_000)

test('an edit while a failure is confirmed delays its message until the edit cannot be taken back, not to the next minute', async () => {
  await watch()
  await pass(100)
  failing.add('/')
  const newest = async () => (await world.nines.call('GET', '/api/v1/slos/1/checks')).body.checks[0]
  while ((await newest()).ok) await pass(1)
  await pass(8)
  expect((await world.nines.call('PUT', '/api/v1/slos/1', { target: 99.5 })).status).toBe(200)
  expect(await pass(10)).toEqual([])
  while ((await evaluatedAtMs()) !== world.nines.clock.now()) await turn()
  expect((await outbox()).map(({ subject }) => subject)).toMatchObject([
    expect.stringMatching(/^My site is down since/),
  ])
})

test('a check that fails once, and whose repetition succeeds, is listed and notified to nobody', async () => {
  await watch()
  await pass(90)
  world.site.next(() => new Response('', { status: 503 }))
  expect(await downs(90)).toEqual([])
  const { body } = await world.nines.call('GET', '/api/v1/embedded/probes/1')
  expect(body.health.recent.map(({ ok }: { ok: boolean }) => ok)).toContain(false)
  expect(body.health).toMatchObject({ status: 'up', down_since: null })
}, 300_000)

test('while a failed check is tried again the state says so, until a repetition succeeds', async () => {
  await watch()
  await pass(180)
  const stateNow = () =>
    world.nines.app.db.read.selectFrom('slo_states').select(['state', 'state_reason']).executeTakeFirstOrThrow()
  expect(await stateNow()).toEqual({ state: 'ok', state_reason: null })
  world.site.next(() => new Response('', { status: 503 }))
  for (let second = 0; second < 30 && (await stateNow()).state_reason === null; second += 1) await pass(1)
  expect(await stateNow()).toEqual({ state: 'ok', state_reason: 'HTTP 503, expected 2xx' })
  await pass(6)
  expect(await stateNow()).toEqual({ state: 'ok', state_reason: null })
}, 300_000)

test('of a probe without confirmation the target is down after `down_after` failed checks', async () => {
  await watch({}, { confirm: false, down_after: 3 })
  await pass(90)
  failing.add('/')
  const [[atSeconds = 0] = []] = await downs(150)
  expect(atSeconds).toBeGreaterThan(60)
  expect(atSeconds).toBeLessThanOrEqual(90)
}, 300_000)

test('a kill while a failed check is confirmed leaves the begin at that check, and the checks before it listed', async () => {
  await watch()
  expect(await pass(180)).toEqual([])
  failing.add('/')
  let failedMs = 0
  for (let second = 0; second < 30 && failedMs === 0; second += 1) {
    await pass(1)
    failedMs = world.nines.app.collector.probesOf(1)?.[0]?.failedMs ?? 0
  }
  const before = (await world.nines.call('GET', '/api/v1/slos/1/checks')).body.checks
  await restart()
  const { body } = await world.nines.call('GET', '/api/v1/slos/1/checks')
  expect(body.checks.map(({ at, ok }: Record<string, unknown>) => [at, ok])).toEqual(
    before.map(({ at, ok }: Record<string, unknown>) => [at, ok]),
  )
  expect(body.checks[0]).toMatchObject({ probe: 'site', ok: false, error: null })
  expect(body.checks[0].duration_ms).toBeCloseTo(before[0].duration_ms, -1)
  expect(await downs(60)).toHaveLength(1)
  const { incidents } = (await world.nines.call('GET', '/api/v1/incidents')).body
  expect(Date.parse(incidents[0].began_at)).toBe(failedMs)
}, 120_000)
