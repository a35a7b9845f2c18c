import { expect, test } from 'bun:test'
import * as fc from 'fast-check'
import type { Bucket } from '../../../src/ledger/bucket.ts'
import { measureCounters } from '../../../src/ledger/measure/measure-counters.ts'
import { countedBySamples, eventfulServices, samplesOf, type Service, slosOf } from '../../support/sampled-counters.ts'
import { type SampledSeries, sampledSource } from '../../support/sampled-source.ts'

/** A series of 25 minutes that was away for 23 and returned ten seconds before its interval is inferred. */
const justBack: [Service[]] = [
  [
    { everySeconds: 1, pods: [steady({ counts: [0] })] },
    { everySeconds: 1, pods: [steady({ counts: [0], ends: 0 })] },
    {
      everySeconds: 10,
      pods: [
        steady({
          phaseMs: 1,
          begins: 711,
          changes: [{ kind: 'away', atSeconds: 2206, seconds: 1375, value: 0 }],
        }),
      ],
    },
  ],
]

function steady(pod: Partial<Service['pods'][number]>): Service['pods'][number] {
  return { phaseMs: 0, counts: [1], begins: -Infinity, ends: Infinity, changes: [], ...pod }
}

const start = 1_784_001_600
const seconds = 3600
const services = 3
const slos = slosOf(services)

/** Minutes of the SLOs, measured `atOnceSeconds` at a time. */
async function minutesOf(series: SampledSeries[], isClosed: boolean, atOnceSeconds: number): Promise<Bucket[][]> {
  const source = sampledSource(series, { isClosed })
  const minutes = slos.map((): Bucket[] => [])
  for (let from = start; from < start + seconds; from += atOnceSeconds) {
    const span = { resolution: 60, startSeconds: from, endSeconds: from + atOnceSeconds } as const
    const measured = await measureCounters(source, slos, span, start + seconds)
    for (const [at, { sloId }] of slos.entries()) {
      const said = measured.get(sloId)
      if (!said || 'error' in said) throw new Error('must be minutes')
      minutes[at]?.push(...said.buckets)
    }
  }
  return minutes
}

test.each([
  ['an hour at once, where ranges are open', false, seconds],
  ['an hour at once, where ranges are closed', true, seconds],
  ['three minutes at once, where ranges are open', false, 180],
  ['three minutes at once, where ranges are closed', true, 180],
])(
  'whatever series do, minutes add up to what consecutive samples say, measured %s',
  async (_, isClosed, atOnceSeconds) => {
    await fc.assert(
      fc.asyncProperty(eventfulServices(seconds, services), async (histories) => {
        const series = samplesOf(histories, start, seconds)
        for (const [service, minutes] of (await minutesOf(series, isClosed, atOnceSeconds)).entries()) {
          for (const { startSeconds: from, total, leadTotal } of minutes) {
            const { all, inside, hasBegunAgain } = countedBySamples(series, service, from, from + 60, isClosed)
            expect({ from, total }).toEqual({ from, total: expect.closeTo(all, 9) })
            if (!isClosed && !hasBegunAgain)
              expect({ from, inside: total - leadTotal }).toEqual({ from, inside: expect.closeTo(inside, 9) })
          }
          const sum = minutes.reduce((all, { total }) => all + total, 0)
          expect(sum).toBeCloseTo(countedBySamples(series, service, start, start + seconds).all, 9)
        }
      }),
      { seed: 20_261_121, numRuns: 8, examples: [justBack] },
    )
  },
  120_000,
)
