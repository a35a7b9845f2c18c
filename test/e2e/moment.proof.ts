import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startFedPrometheus } from '../support/fed-prometheus.ts'
import { cleanUpAtTheEnd, describeOnBed } from '../support/kit.ts'
import { startReceiver } from '../support/receiver.ts'
import { encodeLabels, type RemoteSample } from '../support/remote-write.ts'
import { startTimedNines, type TimedNines } from '../support/timed-nines.ts'
import { addDefaultWebhook, answersOf, post, startRegistered } from './services.ts'

const liveSeconds = Date.parse('2026-03-02T23:10:00Z') / 1000
const historySeconds = 30 * 86_400
const everySeconds = 30
const lastMinute = 60
const perSecond = 10
const failing = 0.4

type Stretch = { from: number; to: number }
type Name = 'checkout' | 'search'

/** Minutes in which 40 % of the requests fail, all of them of one route that has half of the traffic. */
const failures: Record<Name, Stretch[]> = {
  checkout: [{ from: 3, to: 9 }],
  search: [
    { from: 3, to: 9 },
    { from: 19, to: 25 },
  ],
}
const names: Name[] = ['checkout', 'search']

const atMinute = (minute: number) => liveSeconds + minute * 60

/** Scrapes of both services over 30 days until the last minute. */
function samples(): RemoteSample[] {
  const all: RemoteSample[] = []
  for (const [place, service] of names.entries()) {
    const labels = (route: string, code: string) =>
      encodeLabels({ __name__: 'http_requests_total', job: service, instance: `${service}:80`, service, route, code })
    const failed = labels('/pay', '500')
    const [pay, rest] = [labels('/pay', '200'), labels('/', '200')]
    const counts = { failed: 0, pay: 0, rest: 0 }
    const begin = liveSeconds - historySeconds + 7 + 13 * place
    for (let at = begin; at <= atMinute(lastMinute); at += everySeconds) {
      const isBad = failures[service].some(({ from, to }) => at > atMinute(from) && at <= atMinute(to))
      const requests = everySeconds * perSecond
      const bad = requests * (isBad ? failing : 0.0001)
      counts.failed += bad
      counts.pay += requests / 2 - bad
      counts.rest += requests / 2
      all.push({ labels: failed, atMs: at * 1000, value: counts.failed })
      all.push({ labels: pay, atMs: at * 1000, value: counts.pay })
      all.push({ labels: rest, atMs: at * 1000, value: counts.rest })
    }
  }
  return all.toSorted((one, other) => one.atMs - other.atMs)
}

type Heard = { minute: number; event: string; key: string; subject: string; message: string }

/** What an SLO said of itself 6 s after a minute. */
type Told = { state: string; windowPercentUsed: number; burnRateNow: number; exhaustsSeconds: number | null }

type Played = { heard: Heard[]; told: Record<Name, Told[]>; rows: number; incidents: Record<string, unknown>[] }

/**
 * Lets two services with 30 days of history fail at a real Prometheus while nines notifies a receiver. nines is killed after each
 * minute in which the receiver heard something, and its source is away for two minutes of the first outage.
 */
async function play(dir: string): Promise<Played> {
  const prometheus = await startFedPrometheus(join(dir, 'prometheus'), samples())
  let minute = 0
  const heard: Heard[] = []
  const receiver = startReceiver(({ json, headers }) => {
    const { subject, message, incident } = json
    const key = headers.get('idempotency-key') ?? ''
    heard.push({ minute, event: incident?.event ?? json.event, key, subject, message })
    return new Response('ok')
  })
  const env = { SOURCE_URL: prometheus.url, PUBLIC_URL: 'https://nines.example' }
  const start = (token: string) =>
    startTimedNines({ dataDir: join(dir, 'nines'), nowMs: atMinute(minute) * 1000, env, token })
  const told: Played['told'] = { checkout: [], search: [] }
  let nines: TimedNines | undefined
  try {
    await prometheus.advanceTo(atMinute(0))
    const registered = await startRegistered(start)
    nines = registered.nines
    await addDefaultWebhook(nines, receiver.url)
    const ids = new Map<Name, number>()
    for (const name of names) ids.set(name, (await post(nines, '/slos', answersOf(name))).id)
    for (; minute <= lastMinute; minute += 1) {
      const before = heard.length
      if (minute === awayMinutes[0]) await prometheus.kill()
      if (minute === awayMinutes[1]) await prometheus.startAgain()
      if (minute < awayMinutes[0] || minute >= awayMinutes[1]) await prometheus.advanceTo(atMinute(minute))
      await nines.evaluateAt(atMinute(minute) * 1000 + 6000)
      for (const [name, id] of ids) told[name].push(await toldBy(nines, id))
      if (heard.length === before) continue
      await nines.kill()
      nines = await start(registered.token)
    }
    const { incidents } = await get(nines, '/incidents?state=all')
    const { total } = await get(nines, '/notifications/history?page_size=100')
    return { heard, told, rows: total, incidents }
  } finally {
    await nines?.kill()
    await receiver.close()
  }
}

/** First minute without an answer of the source, and the first with one again. */
const awayMinutes = [32, 34] as const

async function toldBy(nines: TimedNines, id: number): Promise<Told> {
  const { slos } = await get(nines, '/slos/overview')
  const { forecast, error_budget } = await get(nines, `/slos/${id}/budget`)
  const { state, burn_rate_now } = slos.find((slo: { id: number }) => slo.id === id)
  return {
    state,
    burnRateNow: burn_rate_now,
    windowPercentUsed: error_budget.window_percent_used,
    exhaustsSeconds: forecast.exhausts_at === null ? null : Date.parse(forecast.exhausts_at) / 1000,
  }
}

async function get(nines: TimedNines, path: string) {
  const answer = await nines.call('GET', `/api/v1${path}`)
  if (answer.status !== 200) throw new Error(`${path}: ${answer.text}`)
  return answer.body
}

describeOnBed('a service with 30 days of history of which 40 % fail for six minutes', () => {
  let cleanUp: (() => Promise<void>) | undefined
  let played: Played
  beforeAll(async () => {
    const dir = mkdtempSync(join(tmpdir(), 'nines-moment-'))
    cleanUp = cleanUpAtTheEnd(dir)
    played = await play(dir)
  }, 180_000)
  afterAll(() => cleanUp?.(), 30_000)

  const heardOf = (name: Name) => played.heard.filter(({ subject }) => subject.startsWith(`${name} answers`))
  const statesOf = (name: Name, { from, to }: Stretch) => played.told[name].slice(from, to).map(({ state }) => state)
  const only = <T>(some: T[]): T => {
    const [one, ...others] = some
    if (one === undefined || others.length > 0) throw new Error(`${some.length} in place of one`)
    return one
  }

  test('is notified within 210 s, with the burn rate and when the budget is gone, to 20 %', () => {
    for (const name of names) {
      const opened = only(heardOf(name).filter(({ event }) => event === 'opened'))
      const [began] = failures[name]
      expect((opened.minute - (began?.from ?? 0)) * 60 + 6).toBeLessThanOrEqual(210)
      expect(opened.subject).toMatch(/: burning 400× since 23:13 UTC, budget gone in 1 h 3\d min$/)
      expect(opened.message).toStartWith('route=/pay has 100 % of the failures with 50 % of the traffic')
      const { windowPercentUsed, exhaustsSeconds, burnRateNow } = played.told[name][opened.minute] ?? missing()
      const leftSeconds = ((1 - windowPercentUsed / 100) * historySeconds) / (failing / 0.001)
      const forecastSeconds = (exhaustsSeconds ?? NaN) - atMinute(opened.minute)
      expect(Math.abs(forecastSeconds / leftSeconds - 1)).toBeLessThan(0.2)
      expect(burnRateNow).toBeCloseTo(400, 5)
    }
  })

  test('is up again within 6 min 30 s of the last failure, and closed once no failure was seen for 15 minutes', () => {
    const [opened, recovered, ...others] = heardOf('checkout')
    expect([opened?.event, recovered?.event, others]).toEqual(['opened', 'recovered', []])
    expect(((recovered?.minute ?? NaN) - 9) * 60 + 6).toBeLessThanOrEqual(390)
    expect(recovered?.subject).toBe('checkout answers is up again after 6 min')
    expect(new Set(statesOf('checkout', { from: 6, to: 14 }))).toEqual(new Set(['burning_fast']))
    expect(new Set(statesOf('checkout', { from: 14, to: 29 }))).toEqual(new Set(['recovering']))
    expect(played.told['checkout'].at(-1)?.state).toBe('ok')
    const incident = played.incidents.find(({ slo_name }) => slo_name === 'checkout answers')
    expect(incident).toMatchObject({ state: 'closed', close_reason: 'recovered', relapses: 0, duration_seconds: 360 })
  })

  test('says once that it fails again before the incident is closed, in the same incident', () => {
    expect(heardOf('search').map(({ event }) => event)).toEqual(['opened', 'recovered', 'again', 'recovered'])
    const again = heardOf('search').find(({ event }) => event === 'again')
    expect(((again?.minute ?? NaN) - 19) * 60 + 6).toBeLessThanOrEqual(210)
    const incident = only(played.incidents.filter(({ slo_name }) => slo_name === 'search answers'))
    expect(incident).toMatchObject({ state: 'closed', relapses: 1 })
  })

  test('is unknown while its source is away, and neither ends nor begins an incident by that', () => {
    const [away, back] = awayMinutes
    for (const name of names) {
      expect(statesOf(name, { from: away, to: back })).toEqual(['unknown', 'unknown'])
      expect(heardOf(name).filter(({ minute }) => minute >= away)).toEqual([])
    }
  })

  test('costs what its failed requests use of the budget, and the share that is used never falls', () => {
    for (const name of names) {
      const { budget_percent: cost } = only(played.incidents.filter(({ slo_name }) => slo_name === `${name} answers`))
      const minutes = failures[name].reduce((sum, { from, to }) => sum + to - from, 0)
      expect(Math.abs(Number(cost) / ((100 * minutes * 400) / 43_200) - 1)).toBeLessThan(0.01)
      const used = played.told[name].slice(1).map(({ windowPercentUsed }) => windowPercentUsed)
      expect(used.filter((percent, at) => percent < (used[at - 1] ?? 0) - 1e-9)).toEqual([])
    }
  })

  test('is one row and one key for each opening and each end over the kills, and is received once', () => {
    expect(new Set(played.heard.map(({ key }) => key)).size).toBe(played.heard.length)
    expect(played.rows).toBe(played.heard.length)
  })
})

function missing(): never {
  throw new Error('nothing was told in this minute')
}
