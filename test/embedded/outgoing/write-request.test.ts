import { expect, test } from 'bun:test'
import { snappyUncompress } from 'hysnappy'
import { runSync } from '../../../src/concurrency/cooperative.ts'
import { encodingWrites } from '../../../src/embedded/outgoing/write-request.ts'
import { columns, push, type SampleValue } from '../../../src/embedded/store/columns.ts'
import type { OutgoingSamples } from '../../../src/embedded/store/outgoing.ts'
import type { StoredSeries } from '../../../src/embedded/store/series.ts'
import { samplesOfBody } from '../../support/write-receiver.ts'

type Given = { labels: Record<string, string>; organizationId?: number; samples: [number, SampleValue][] }

function outgoing(all: Given[]): OutgoingSamples {
  const result: OutgoingSamples = { series: [], firstSamples: [0], samples: columns(0) }
  for (const [id, { labels, organizationId = 1, samples }] of all.entries()) {
    const rest = { key: '', head: undefined, barrier: undefined, isRemoved: false }
    result.series.push({ id, organizationId, labels, ...rest })
    for (const [timeMs, value] of samples) push(result.samples, timeMs, value)
    result.firstSamples.push(result.samples.length)
  }
  return result
}

const encode = (all: Given[], isSent: (series: StoredSeries) => boolean = () => true) =>
  runSync(encodingWrites(outgoing(all), isSent))

test('labels are sorted with that of the organization, and values keep all their bits', () => {
  const [only, ...others] = encode([
    {
      labels: { __name__: 'm', job: 'ä"b', zone: 'x' },
      organizationId: 12,
      samples: [
        [0, -0],
        [1, 'stale'],
        [127, Infinity],
        [128, NaN],
        [1_795_255_200_123, 0.1],
      ],
    },
  ])
  const name = '{__name__="m",job="ä"b",nines_organization="12",zone="x"}'
  expect(others).toEqual([])
  expect(only?.samples).toBe(5)
  expect(samplesOfBody(only?.body ?? new Uint8Array())).toEqual([
    `${name} 0 ${String(-0)}`,
    `${name} 1 stale`,
    `${name} 127 Infinity`,
    `${name} 128 NaN`,
    `${name} 1795255200123 0.1`,
  ])
})

test('times before 1970 are sent', () => {
  const [only] = encode([{ labels: { __name__: 'm' }, samples: [[-1500, 1]] }])
  const sample = '0910' // tags of value and time
  const time = 'a4f4ffffffffffffff01' // -1500 in two's complement
  const hex = Buffer.from(snappyUncompress(only?.body ?? new Uint8Array(), 64)).toString('hex')
  expect(hex).toEndWith(`${sample.slice(0, 2)}000000000000f03f${sample.slice(2)}${time}`)
})

test('a label of that name gives way to that of the organization', () => {
  const [only] = encode([{ labels: { __name__: 'm', nines_organization: 'x' }, samples: [[1, 1]] }])
  expect(samplesOfBody(only?.body ?? new Uint8Array())).toEqual(['{__name__="m",nines_organization="1"} 1 1'])
})

test('series that are not chosen are left out, and nothing but them is no request', () => {
  const all: Given[] = ['a', 'b'].map((job) => ({ labels: { __name__: 'm', job }, samples: [[1, 1]] }))
  const bodies = encode(all, ({ labels }) => labels['job'] === 'b')
  expect(bodies.flatMap(({ body }) => samplesOfBody(body))).toEqual([
    '{__name__="m",job="b",nines_organization="1"} 1 1',
  ])
  expect(encode(all, () => false)).toEqual([])
})

test('much is divided into requests of a bounded size, the same ones each time', () => {
  const all: Given[] = Array.from({ length: 1500 }, (_, index) => ({
    labels: { __name__: 'm', index: String(index), text: 'x'.repeat(2000) },
    samples: [[1, index]],
  }))
  const bodies = encode(all)
  expect(bodies.map(({ samples }) => samples).reduce((a, b) => a + b)).toBe(1500)
  expect(bodies.length).toBeGreaterThan(4)
  expect(encode(all)).toEqual(bodies)
})
