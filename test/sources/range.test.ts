import { afterEach, expect, test } from 'bun:test'
import { createOutbound } from '../../src/http/outbound/outbound.ts'
import { createPrometheus } from '../../src/sources/prometheus/client.ts'
import { type Answer, queryRange, type Grid, type RangeSeries, type Source } from '../../src/sources/source.ts'
import { closeAll, closeLater } from '../support/closing.ts'
import { fakeSource, type Script } from '../support/fake-source.ts'
import { faultySource } from '../support/faulty-source.ts'

afterEach(closeAll)

function sourceOf(script: Script) {
  const fake = fakeSource(script)
  closeLater(fake.close)
  const prometheus = createPrometheus({ outbound: createOutbound({ deny: [] }), timeoutMs: 5000, concurrency: 8 })
  return { fake, source: prometheus.open({ id: 1, organizationId: 1, name: 'prod', apiUrl: fake.url, auth: null }) }
}

/** A source whose answers to each chunk of the range `answer` determines. */
function scripted(answer: (window: Grid) => Partial<Answer<RangeSeries[]>>) {
  const windows: Grid[] = []
  const source: Source = {
    name: 'prod',
    instant: () => Promise.reject(new Error('not queried here')),
    range: async (_expression, window) => {
      windows.push(window)
      return { data: [], warnings: [], infos: [], isPartial: false, durationMs: 1, ...answer(window) }
    },
  }
  return { source, windows }
}

test('a range that fits is one question', async () => {
  const { fake, source } = sourceOf(() => 1)
  const window = { startSeconds: 1_795_233_600, endSeconds: 1_795_237_200, stepSeconds: 60 }
  const answer = await queryRange(source, 'up', window)
  expect(answer.data).toEqual([
    { metric: {}, values: Array.from({ length: 61 }, (_, i) => [1_795_233_600 + 60 * i, '1']) },
  ])
  expect(fake.asked).toMatchObject([{ kind: 'range', expression: 'up', ...window }])
})

test('a month of minutes comes back whole: every point once, in order, never over 10,000 in one question', async () => {
  const { fake, source } = sourceOf((_expression, time) => time % 1000)
  const startSeconds = 1_792_652_445.5
  const answer = await queryRange(source, 'x', {
    startSeconds,
    endSeconds: startSeconds + 30 * 86_400,
    stepSeconds: 60,
  })
  const expected = Array.from({ length: 43_201 }, (_, i) => startSeconds + 60 * i)
  expect(answer.data).toHaveLength(1)
  expect(answer.data[0]?.values.map(([time]) => time)).toEqual(expected)
  const sizes = fake.asked.map((asked) =>
    asked.kind === 'range' ? Math.round((asked.endSeconds - asked.startSeconds) / asked.stepSeconds) + 1 : NaN,
  )
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(43_201)
  expect(Math.max(...sizes)).toBeLessThanOrEqual(10_000)
  expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1)
})

test.each([
  [9_999, [10_000]],
  [10_000, [5_000, 5_001]],
  [19_999, [10_000, 10_000]],
  [20_000, [6_667, 6_667, 6_667]],
])('%p steps of a second are queried as %p points', async (steps, points) => {
  const { source, windows } = scripted(() => ({}))
  await queryRange(source, 'x', { startSeconds: 0, endSeconds: steps, stepSeconds: 1 })
  expect(windows.map((window) => window.endSeconds - window.startSeconds + 1)).toEqual(points)
})

test('series are joined by their labels, whatever the order in which a source writes them', async () => {
  const { source } = scripted(({ startSeconds: at }) => ({
    data:
      at === 0
        ? [
            { metric: { job: 'a', pod: '1' }, values: [[0, '1']] },
            { metric: { job: 'b' }, values: [[0, '2']] },
          ]
        : [
            { metric: { pod: '1', job: 'a' }, values: [[at, '3']] },
            { metric: { job: 'c' }, values: [[at, '4']] },
          ],
  }))
  const { data } = await queryRange(source, 'x', { startSeconds: 0, endSeconds: 10_000, stepSeconds: 1 })
  expect(data).toEqual([
    {
      metric: { job: 'a', pod: '1' },
      values: [
        [0, '1'],
        [5000, '3'],
      ],
    },
    { metric: { job: 'b' }, values: [[0, '2']] },
    { metric: { job: 'c' }, values: [[5000, '4']] },
  ])
})

test('a point that a source gives in two pieces is kept once', async () => {
  const { source } = scripted(({ startSeconds: at }) => ({
    data: [
      {
        metric: {},
        values:
          at === 0
            ? [
                [0, '1'],
                [5000, '2'],
              ]
            : [
                [5000, '2'],
                [5001, '3'],
              ],
      },
    ],
  }))
  const { data } = await queryRange(source, 'x', { startSeconds: 0, endSeconds: 10_000, stepSeconds: 1 })
  expect(data[0]?.values).toEqual([
    [0, '1'],
    [5000, '2'],
    [5001, '3'],
  ])
})

test('native histograms of all pieces are kept', async () => {
  const { source } = scripted(({ startSeconds }) => ({
    data: [{ metric: {}, values: [], histograms: [[startSeconds, { count: '2' }]] }],
  }))
  const { data } = await queryRange(source, 'x', { startSeconds: 0, endSeconds: 10_000, stepSeconds: 1 })
  expect(data).toEqual([
    {
      metric: {},
      values: [],
      histograms: [
        [0, { count: '2' }],
        [5000, { count: '2' }],
      ],
    },
  ])
})

test('remarks are collected without repetition, and one partial piece makes the whole partial', async () => {
  const { source } = scripted(({ startSeconds: at }) => ({
    warnings: at === 0 ? ['a store is away'] : ['a store is away', 'another too'],
    infos: ['not a counter'],
    isPartial: at > 0,
  }))
  const answer = await queryRange(source, 'x', { startSeconds: 0, endSeconds: 10_000, stepSeconds: 1 })
  expect(answer).toMatchObject({
    warnings: ['a store is away', 'another too'],
    infos: ['not a counter'],
    isPartial: true,
  })
})

test('a piece that fails ends the whole with its error, and no further ones are sent', async () => {
  const { fake, source } = sourceOf((_expression, time) => {
    if (time >= 8641 * 60) throw new Error('too many samples')
    return 1
  })
  const month = { startSeconds: 0, endSeconds: 30 * 86_400, stepSeconds: 60 }
  await expect(queryRange(source, 'x', month)).rejects.toMatchObject({
    kind: 'source_refused',
    details: 'too many samples',
  })
  expect(fake.asked).toHaveLength(2)
})

test('a window that ends before it starts has no series and sends nothing', async () => {
  const { source, windows } = scripted(() => ({}))
  expect((await queryRange(source, 'x', { startSeconds: 100, endSeconds: 40, stepSeconds: 60 })).data).toEqual([])
  expect(windows).toEqual([])
})

test.each([0, -60, NaN, 0.0004])('a step of %p seconds is refused', async (stepSeconds) => {
  const { source, windows } = scripted(() => ({}))
  await expect(queryRange(source, 'x', { startSeconds: 0, endSeconds: 60, stepSeconds })).rejects.toThrow(
    'positive step',
  )
  expect(windows).toEqual([])
})

test('all pieces share the time of one question', async () => {
  const source = faultySource({ delayMs: 120 })
  closeLater(source.close)
  const prometheus = createPrometheus({ outbound: createOutbound({ deny: [] }), timeoutMs: 5000, concurrency: 8 })
  const slow = prometheus.open({ id: 1, organizationId: 1, name: 'slow', apiUrl: source.url, auth: null })
  const window = { startSeconds: 0, endSeconds: 60 * 35_000, stepSeconds: 60 } // four chunks, two at a time
  await expect(queryRange(slow, 'up', window, { timeoutMs: 200 })).rejects.toMatchObject({
    kind: 'source_unavailable',
    details: 'slow: no answer within 0.2 s',
  })
})
