import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { importSamples } from '../../src/embedded/import-samples.ts'
import { type TestApp, testApp, testStartMs } from '../support/app.ts'
import { type TestBed, describeOnBed, startBed } from '../support/kit.ts'

const sources: [name: string, key: 'prometheus' | 'victoria' | 'embedded'][] = [
  ['Prometheus', 'prometheus'],
  ['VictoriaMetrics', 'victoria'],
  ['embedded source', 'embedded'],
]

/** Services with counters that never change, or that stopped three days ago. */
const silent = new Set(['idle', 'ghost'])

type Found = {
  kind: string
  value: string
  limit_seconds: number | null
  suggested_target: number | null
  reached_percent: number
  events_per_day: number
  slo: object
}

describeOnBed('suggestions from the data of the kit', () => {
  let bed: TestBed
  beforeAll(async () => {
    bed = await startBed()
  }, 120_000)
  afterAll(() => bed?.stop(), 30_000)

  describe.each(sources)('in a real %s', (_, key) => {
    let nines: TestApp
    let suggestions: Found[]
    beforeAll(async () => {
      nines = await testApp({ env: { SOURCE_URL: key === 'embedded' ? key : bed[key], SOURCE_TIMEOUT: '30' } })
      nines.clock.advance(bed.now * 1000 - testStartMs)
      await nines.join('ada')
      if (key === 'embedded') {
        const keepMs = nines.app.config.samplesRetentionDays * 86_400_000
        const chunks = Bun.file(bed.samples).stream()
        await importSamples({ store: nines.app.samples, clock: nines.app.clock, organizationId: 1, chunks, keepMs })
      }
      const { status, body, text } = await nines.call('GET', '/api/v1/tsdb/sources/1/suggestions')
      expect([status, body?.gaps], text).toEqual([200, []])
      suggestions = body.suggestions
    }, 120_000)
    afterAll(() => nines?.close())

    const ofKind = (kind: string) => suggestions.filter((one) => one.kind === kind)

    test('each service with traffic in the last day is suggested once', () => {
      const services = Object.entries(bed.truth.services)
      const busy = services.filter(([name, { evals }]) => {
        const { total } = evals[String(bed.now)]?.['24h'] ?? { total: 0 }
        return total > 0 && !silent.has(name)
      })
      const found = ofKind('availability').map(({ value }) => value)
      expect(found.toSorted()).toEqual(busy.map(([name]) => name).toSorted())
      expect(
        ofKind('latency')
          .map(({ value }) => value)
          .toSorted(),
      ).toEqual(['checkout', 'search'])
      const measured = suggestions.map(({ kind, value }) => `${kind} ${value}`)
      expect(new Set(measured).size).toBe(measured.length)
    })

    test('what each reached, its target and its traffic are those of the truth', () => {
      for (const { value, reached_percent: reached, suggested_target: target, events_per_day: events } of ofKind(
        'availability',
      )) {
        if (value === 'fresh') continue // its bursts are not in the samples
        const truth = bed.truth.services[value]?.evals[String(bed.now)]?.['30d']
        const sli = 100 * (truth?.sli ?? Number.NaN)
        expect(Math.abs(reached - sli), value).toBeLessThan(0.02)
        if (target !== null) expect(target, value).toBeLessThanOrEqual(sli + 0.002)
        const days = value === 'newborn' ? 10 : 30
        expect(events / ((truth?.total ?? 0) / days), value).toBeCloseTo(1, 1)
      }
      expect(ofKind('availability').find(({ value }) => value === 'newborn')?.suggested_target).toBeNull()
    })

    test('each is what the preview of its own body measures', async () => {
      for (const { slo, kind, value, reached_percent: reached } of suggestions) {
        const { status, body } = await nines.call('POST', '/api/v1/slos/preview', slo)
        expect([kind, value, status, body.problems]).toEqual([kind, value, 200, []])
        if (kind !== 'up') expect(Math.abs(body.own.sli - reached), value).toBeLessThan(0.02)
      }
    }, 120_000)
  })
})
