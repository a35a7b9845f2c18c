import { describe, expect, test } from 'bun:test'
import { outageOf, probesReadBy, type ProbeStatus } from '../../src/evaluation/outage.ts'
import { planSli } from '../../src/sli/plan/plan.ts'
import type { SloRow } from '../../src/db/tables/tables.ts'

const planned = (metric_query: string) => {
  const slo = {
    metric_query,
    good_query: null,
    bad_query: null,
    total_query: null,
    query_unit: 'auto',
    threshold: null,
  }
  const definition = {
    ...slo,
    threshold_op: null,
    window_method: 'auto',
    metric_type: 'availability',
  } as unknown as SloRow
  return { slo: definition, plan: planSli(definition) }
}
const probe = (job: string, isDown: boolean | null, sinceMs: number | null = null): ProbeStatus => ({
  labels: [['job', job]],
  isDown,
  isUnconfirmed: false,
  sinceMs,
  error: isDown ? `${job} refuses` : null,
  intervalMs: 30_000,
  failedMs: null,
})

const site = planned('probe_success{job="site"}')
const both = planned('min(probe_success{job=~"site|shop"})')

describe('an SLO of probes', () => {
  test.each([
    ['all are down', [probe('site', true, 5000), probe('shop', true, 9000)], true],
    ['one is up', [probe('site', true, 5000), probe('shop', false)], false],
    ['one is not known', [probe('site', true, 5000), probe('shop', null)], null],
  ] as const)('of which %s', (_, probes, isDown) => {
    expect(outageOf(both, probes)?.isDown).toBe(isDown)
  })

  test('is down since the last of its probes is, and says why', () => {
    const probes = [probe('site', true, 5000), probe('shop', true, 9000), probe('other', false)]
    expect(outageOf(both, probes)).toEqual({
      isDown: true,
      isUnconfirmed: false,
      sinceSeconds: 9,
      reason: 'site refuses',
    })
  })

  test('is not known to be up or down until the probes have been read, as after a restart', () => {
    expect(outageOf(site, null)?.isDown).toBeNull()
  })

  test.each(['up{job="site"}', 'probe_duration_seconds{job="site"} < bool 1', 'probe_success / up'])(
    '%s has no outage',
    (query) => expect(outageOf(planned(query), [probe('site', true, 5000)])).toBeNull(),
  )

  test.each([
    ['probe_success{job="site",region="eu"}', ['site eu']],
    ['probe_success{job="site",region!="eu"}', ['site us']],
    ['probe_success{job=""}', ['own']],
    ['probe_success{region="eu"}', ['site eu', 'shop eu']],
    ['min(probe_success{job="shop"}) * min(probe_success{job=~"s.+",region="eu"})', ['shop eu', 'site eu']],
  ])('%s reads those probes that its selectors select, each once', (query, expected) => {
    const labels = [
      ['site eu', { job: 'site', region: 'eu' }],
      ['site us', { job: 'site', region: 'us' }],
      ['shop eu', { job: 'shop', region: 'eu' }],
      ['own', { region: 'us' }],
    ] as const
    const probes = labels.map(([name, of]) => ({ name, labels: Object.entries(of) }))
    const read: { name: string }[] = probesReadBy(planned(query).plan.probes ?? [], probes)
    expect(read.map(({ name }) => name).toSorted()).toEqual(expected.toSorted())
  })

  test('has no outage without a probe that it reads', () => {
    expect(outageOf(site, [probe('other', true, 5000)])).toBeNull()
  })
})
