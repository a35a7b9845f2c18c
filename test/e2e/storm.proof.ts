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
const historyMinutes = 65
const everySeconds = 30
const services = Array.from({ length: 500 }, (_, place) => `shop-${place + 1}`)
/** Minutes in which 40 % of the requests of all services fail. */
const failing = { from: 2, to: 6 }
const lastMinute = 13

const atMinute = (minute: number) => liveSeconds + minute * 60

/** Scrapes of all services until the last minute, in order of time. */
function samples(): RemoteSample[] {
  const seconds: number[] = []
  for (let at = atMinute(-historyMinutes); at <= atMinute(lastMinute); at += everySeconds) seconds.push(at)
  const counts = { good: 0, bad: 0 }
  const counted = seconds.map((at) => {
    const isBad = at > atMinute(failing.from) && at <= atMinute(failing.to)
    counts.bad += isBad ? 120 : 0
    counts.good += isBad ? 180 : 300
    return { at, ...counts }
  })
  const labelled = services.map((service) => {
    const labels = (code: string) => encodeLabels({ __name__: 'http_requests_total', service, code })
    return { good: labels('200'), bad: labels('500') }
  })
  return counted.flatMap(({ at, good, bad }) =>
    labelled.flatMap((labels) => [
      { labels: labels.good, atMs: at * 1000, value: good },
      { labels: labels.bad, atMs: at * 1000, value: bad },
    ]),
  )
}

type Heard = { second: number; event: string; subject: string; message: string; key: string }

type Played = {
  heard: Heard[]
  /** Most incidents that were open at once. */
  mostOpen: number
  /** States of all SLOs after the last round. */
  states: Set<string>
}

/** Lets all services of a real Prometheus fail at once while nines, with an SLO for each, notifies one receiver. */
async function play(dir: string): Promise<Played> {
  const prometheus = await startFedPrometheus(join(dir, 'prometheus'), samples())
  let second = 0
  const heard: Heard[] = []
  const receiver = startReceiver(({ json, headers }) => {
    const { incident, event, subject, message } = json
    const key = headers.get('idempotency-key') ?? ''
    heard.push({ second, event: incident?.event ?? event, subject, message, key })
    return new Response('ok')
  })
  let nines: TimedNines | undefined
  try {
    await prometheus.advanceTo(atMinute(0))
    const env = { SOURCE_URL: prometheus.url, QUOTA_SLOS: '1000' }
    const start = (token: string) =>
      startTimedNines({ dataDir: join(dir, 'nines'), nowMs: atMinute(0) * 1000, env, token })
    const registered = await startRegistered(start)
    nines = registered.nines
    await addDefaultWebhook(nines, receiver.url)
    for (const service of services) await post(nines, '/slos', answersOf(service))
    const played: Played = { heard, mostOpen: 0, states: new Set() }
    const evaluate = async (nines: TimedNines) => {
      await nines.evaluateAt((liveSeconds + second) * 1000)
      const open = await nines.call('GET', '/api/v1/incidents?page_size=1')
      played.mostOpen = Math.max(played.mostOpen, open.body.total)
      const overview = await nines.call('GET', '/api/v1/slos/overview')
      played.states = new Set(overview.body.slos.map(({ state }: { state: string }) => state))
    }
    for (let minute = 1; minute <= lastMinute; minute += 1) {
      await prometheus.advanceTo(atMinute(minute))
      const before = heard.length
      second = minute * 60 + 6
      await evaluate(nines)
      if (heard.length === before) continue
      second = minute * 60 + 40 // the list of what follows the first messages is sent after 30 s
      await evaluate(nines)
    }
    return played
  } finally {
    await nines?.kill()
    await receiver.close()
  }
}

describeOnBed('500 SLOs of one source that fail at once', () => {
  let cleanUp: (() => Promise<void>) | undefined
  let played: Played
  beforeAll(async () => {
    const dir = mkdtempSync(join(tmpdir(), 'nines-storm-'))
    cleanUp = cleanUpAtTheEnd(dir)
    played = await play(dir)
  }, 300_000)
  afterAll(() => cleanUp?.(), 30_000)

  const messages = (from: number, to: number) =>
    played.heard.filter(({ second }) => second > from * 60 && second <= to * 60)
  const namedBy = (some: Heard[]) =>
    new Set(some.flatMap(({ subject, message }) => `${subject} ${message}`.match(/shop-\d+/g) ?? []))

  test('are at most ten openings within 90 s of the first, and each is named in one of them', () => {
    const openings = messages(failing.from, failing.to)
    expect(openings.length).toBeLessThanOrEqual(10)
    const [first, last] = [openings[0]?.second ?? NaN, openings.at(-1)?.second ?? NaN]
    expect(first - failing.from * 60).toBeLessThanOrEqual(210)
    expect(last - first).toBeLessThanOrEqual(90)
    expect(namedBy(openings)).toEqual(new Set(services))
  })

  test('are at most ten messages that they are up again, within 6 min 30 s and 90 s more', () => {
    const ends = messages(failing.to, lastMinute + 1)
    expect(ends.length).toBeLessThanOrEqual(10)
    expect(Math.max(...ends.map(({ second }) => second)) - failing.to * 60).toBeLessThanOrEqual(480)
    expect(namedBy(ends)).toEqual(new Set(services))
    expect(ends.filter(({ subject }) => !subject.includes('up again'))).toEqual([])
    expect(played.states).toEqual(new Set(['recovering']))
  })

  test('are 500 open incidents, and each message has a key of its own', () => {
    expect(played.mostOpen).toBe(services.length)
    expect(new Set(played.heard.map(({ key }) => key)).size).toBe(played.heard.length)
  })
})
