import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { importSamples } from '../../src/embedded/import-samples.ts'
import { type TestApp, testApp, testStartMs } from './app.ts'
import type { TestBed, KnownIncident } from './kit.ts'

const timeoutMs = 80_000
const minute = 60
const maxAsked = 10

/** Incidents whose samples are incomplete: new series that start at full height, crashes between two scrapes, a gap. */
const lossy = new Set(['fresh', 'gateway crash loop', 'gaps inside a gap'])

type Found = {
  key: string
  began_at: string
  ended_at: string
  bad_events: number
  budget_used_percent: number
  resolution_seconds: number
}
type Incidents = { budget_used_percent: number | null; background_percent: number | null; incidents: Found[] }

type Sources = [name: string, key: 'prometheus' | 'victoria' | 'embedded'][]

/** Tests the incidents that nines finds in a bed, with each of these sources. */
export function testIncidents(start: () => Promise<TestBed>, sources: Sources) {
  let bed: TestBed
  beforeAll(async () => {
    bed = await start()
  }, 120_000)
  afterAll(() => bed?.stop(), 30_000)

  describe.each(sources)('in a real %s', (_, key) => {
    let nines: TestApp
    const slos = new Map<string, number>()
    beforeAll(async () => {
      nines = await testApp({ env: { SOURCE_URL: key === 'embedded' ? key : bed[key], SOURCE_TIMEOUT: '30' } })
      nines.clock.advance(bed.now * 1000 - testStartMs)
      await nines.join('ada')
      if (key === 'embedded') await importInto(nines, bed.samples)
      for (const service of servicesWithErrors(bed)) slos.set(service, await createSlo(availability(service)))
      slos.set('clean', await createSlo(availability('clean')))
      slos.set('search', await createSlo(latency('search')))
      await nines.app.backfills.run()
      await nines.app.evaluator.evaluateAll()
    }, timeoutMs)
    afterAll(() => nines?.close())

    const createSlo = async (slo: object): Promise<number> => {
      const { status, text, body } = await nines.call('POST', '/api/v1/slos', { time_window: '30d', ...slo })
      if (status !== 201) throw new Error(text)
      return body.id
    }
    const read = async <T>(path: string): Promise<T> => {
      const { status, text, body } = await nines.call('GET', `/api/v1/slos/${path}`)
      if (status !== 200) throw new Error(text)
      return body
    }
    /** Asks again while minutes are missing: what a source answers after a second is in the next answer. */
    const incidentsOf = async (service: string): Promise<Incidents> => {
      const found = await read<Incidents>(`${slos.get(service)}/incidents`)
      for (
        let asked = 1;
        asked < maxAsked && found.incidents.some(({ resolution_seconds }) => resolution_seconds > minute);
        asked += 1
      )
        Object.assign(found, await read<Incidents>(`${slos.get(service)}/incidents`))
      return found
    }
    const breakdownOf = (service: string, { key: name }: Found) =>
      read<Breakdown>(`${slos.get(service)}/incidents/${name}/breakdown`)

    test(
      'each is found once, begins and ends within a minute, and no other is',
      async () => {
        for (const service of slos.keys()) {
          const { incidents } = await incidentsOf(service)
          const known = knownOf(bed, service)
          expect([service, incidents.length]).toEqual([service, known.length])
          for (const one of known.filter(({ name }) => name !== 'gaps inside a gap')) {
            const found = foundOf(incidents, one)
            const withinSeconds = Math.max(minute, found.resolution_seconds)
            const [begin, end] = [secondsOf(found.began_at) - one.start, secondsOf(found.ended_at) - one.end]
            expect([one.name, Math.abs(begin) <= withinSeconds, Math.abs(end) <= withinSeconds]).toEqual([
              one.name,
              true,
              true,
            ])
            if (!lossy.has(one.name)) expect([one.name, found.resolution_seconds]).toEqual([one.name, minute])
          }
        }
      },
      timeoutMs,
    )

    test(
      'bad events are within 1 % of the truth',
      async () => {
        for (const service of slos.keys()) {
          const { incidents } = await incidentsOf(service)
          for (const one of knownOf(bed, service).filter(({ name }) => !lossy.has(name))) {
            const { bad_events: bad } = foundOf(incidents, one)
            expect([one.name, Math.abs(bad / one.bad - 1) <= 0.01]).toEqual([one.name, true])
          }
        }
      },
      timeoutMs,
    )

    test(
      'with the background they add up to what was used',
      async () => {
        for (const service of slos.keys()) {
          const { incidents, background_percent: background, budget_used_percent: used } = await incidentsOf(service)
          const explained = incidents.reduce((sum, { budget_used_percent }) => sum + budget_used_percent, 0)
          expect(explained + (background ?? NaN)).toBeCloseTo(used ?? NaN, 9)
          expect(background).toBeGreaterThan(-1e-9)
        }
      },
      timeoutMs,
    )

    test(
      'the label that caused it is ranked first, and its values hold all failures of the incident',
      async () => {
        for (const service of servicesWithErrors(bed)) {
          const { incidents } = await incidentsOf(service)
          for (const one of knownOf(bed, service)) {
            const found = foundOf(incidents, one)
            const { possible, labels } = await breakdownOf(service, found)
            const [first] = labels
            const cause = one.instance === null ? ['code', one.code] : ['instance', `${service}-${one.instance}:8080`]
            expect({ name: one.name, possible, cause: [first?.label, first?.values[0]?.value] }).toEqual({
              name: one.name,
              possible: true,
              cause: cause as string[],
            })
            for (const { values } of labels) {
              expect(values.reduce((sum, { failures_percent: share }) => sum + share, 0)).toBeCloseTo(100, 6)
              const bad = values.reduce((sum, { bad_events }) => sum + bad_events, 0)
              if (!lossy.has(one.name)) expect(Math.abs(bad / found.bad_events - 1)).toBeLessThan(0.01)
            }
          }
        }
      },
      timeoutMs,
    )

    test('where there is nothing to compare, it says so', async () => {
      const [found] = (await incidentsOf('search')).incidents
      const { possible, reason } = await breakdownOf('search', found as Found)
      expect([possible, reason]).toEqual([false, expect.stringContaining('one series')])
    })
  })
}

type Breakdown = {
  possible: boolean
  reason: string | null
  labels: { label: string; values: { value: string; bad_events: number; failures_percent: number }[] }[]
}

const availability = (service: string) => {
  const all = `http_requests_total{service="${service}"`
  const sides = { bad_query: `sum(rate(${all},code=~"5.."}[5m]))`, total_query: `sum(rate(${all}}[5m]))` }
  return { name: service, target: 99.9, metric_type: 'availability', ...sides }
}

const latency = (service: string) => {
  const requests = `http_request_duration_seconds`
  const good_query = `sum(rate(${requests}_bucket{service="${service}",le="0.25"}[5m]))`
  const total_query = `sum(rate(${requests}_count{service="${service}"}[5m]))`
  return { name: service, target: 95, metric_type: 'latency', good_query, total_query }
}

function servicesWithErrors(bed: TestBed): string[] {
  const isFailing = ({ incidents }: { incidents: KnownIncident[] }) => incidents.some(({ code }) => code !== null)
  return Object.entries(bed.truth.services).flatMap(([name, service]) => (isFailing(service) ? [name] : []))
}

type Known = KnownIncident & { name: string; seenUntil: number }

/**
 * Incidents of a service within 30 days, with their bad events. `seenUntil`: the latest time at which the source shows them.
 */
function knownOf(bed: TestBed, service: string): Known[] {
  const {
    incidents,
    scrape_fail: failed = [],
    monitor_down: down = [],
    why,
  } = bed.truth.services[service] as TestBed['truth']['services'][string]
  const isLatency = why.includes('latency')
  return incidents
    .filter(({ start }) => start > bed.now - 30 * 86_400)
    .map((one) => {
      const gap = [...failed, ...down].find(({ start, end }) => start <= one.start && one.end <= end)
      const isCrashing = service === 'gateway' && one.instance === null
      const name = gap ? `${service} inside a gap` : isCrashing ? 'gateway crash loop' : service
      const bad = isLatency ? (one.slow?.['0.25'] ?? NaN) : one.bad
      return { ...one, bad, name, seenUntil: gap ? gap.end + 2 * minute : one.end }
    })
}

function foundOf(incidents: readonly Found[], { name, start, seenUntil }: Known): Found {
  const [found, ...others] = incidents.filter(
    ({ began_at, ended_at }) => secondsOf(began_at) < seenUntil && secondsOf(ended_at) > start,
  )
  if (!found || others.length > 0)
    throw new Error(`${name}: ${incidents.length} incidents, ${others.length + 1} of this time`)
  return found
}

const secondsOf = (time: string) => Date.parse(time) / 1000

/** Imports only the series that the SLOs above read, a third of all. */
async function importInto({ app }: TestApp, path: string) {
  const keepMs = app.config.samplesRetentionDays * 86_400_000
  const read = String.raw`^(# |http_requests_total|http_request_duration_seconds_(bucket|count)\{.*service="search")`
  const chunks = Bun.spawn(['grep', '-E', read, path]).stdout
  await importSamples({ store: app.samples, clock: app.clock, organizationId: 1, chunks, keepMs })
}
