import { expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { fitsAll } from '../../support/fits-all.ts'
import type { Matcher } from '../../../src/promql/matchers.ts'
import type { MatchOperator } from '../../../src/promql/syntax.ts'
import { labelsOf } from '../../../src/embedded/store/file-reader.ts'
import { defaultLabelLimits } from '../../../src/embedded/store/labels.ts'
import type { SampleStore } from '../../../src/embedded/store/sample-store.ts'
import { labels, select, storeWorld, where } from './store-world.ts'

const value = fc.constantFrom('', 'a', 'b', 'ab', 'x\u0000y', 'ü')
const names = ['job', 'host', '__proto__', 'constructor'] as const
const someLabels = fc
  .tuple(value, value, value, value)
  .map((values) => values.map((each, index) => [names[index] ?? '', each] as const))
const someMatcher = fc.record({
  name: fc.constantFrom('__name__', 'absent', ...names),
  operator: fc.constantFrom<MatchOperator>('=', '!=', '=~', '!~'),
  value: fc.constantFrom('', 'a', 'b', 'm', 'a|b', '.*', '.+', 'a.*', '(a|)'),
})

/** Labels of the series that a worker is sent. */
async function sent(store: SampleStore, matchers: Matcher[]): Promise<object[]> {
  const plainMatchers = matchers.map(({ name, operator, value, fits }) => ({
    name,
    operator,
    value,
    fitsEmpty: fits(''),
  }))
  const testValues = async (values: string[], at: number) =>
    Uint8Array.from(values, (each) => Number(matchers[at]?.fits(each)))
  const found: object[] = []
  for await (const { keys } of store.find(1, { matchers: plainMatchers, fromMs: 0, toMs: 9 }, testValues))
    found.push(...labelsOf(keys))
  return found
}

test('the index finds what looking at every series would, also after a restart', async () => {
  const some = [fc.array(someLabels, { maxLength: 15 }), fc.array(someMatcher, { maxLength: 4 })] as const
  await fc.assert(
    fc.asyncProperty(...some, async (series, wanted) => {
      const world = storeWorld()
      for (const each of series) world.store().append(1, [['__name__', 'm'], ...each], 1, 1)
      const matchers = wanted.map(({ name, operator, value }) => where(name, operator, value))
      const key = (each: object) => JSON.stringify(Object.entries(each).toSorted())
      const every = series.map((each) =>
        Object.fromEntries([['__name__', 'm'], ...each.filter(([, text]) => text !== '')]),
      )
      const expected = [...new Set(every.filter((each) => fitsAll(matchers, each)).map(key))].toSorted()
      const found = () =>
        select(world.store(), 1, matchers, 0, 9)
          .map((each) => key(each.labels))
          .toSorted()
      expect(found()).toEqual(expected)
      expect((await sent(world.store(), matchers)).map(key).toSorted()).toEqual(expected)
      world.store().flush()
      world.reopen()
      expect(found()).toEqual(expected)
      world.close()
    }),
    { numRuns: 60 },
  )
}, 30_000)

test('a matcher looks at the values of its label, not at every series', () => {
  const world = storeWorld()
  for (let index = 0; index < 1000; index += 1) {
    world.store().append(1, labels({ job: `job ${index % 10}`, host: `${index}` }), 1, 1)
  }
  let asked = 0
  const counted = (...of: Parameters<typeof where>) => {
    const inner = where(...of)
    return { ...inner, fits: (text: string) => ((asked += 1), inner.fits(text)) }
  }
  expect(select(world.store(), 1, [counted('host', '=', '77'), counted('job', '=~', 'job .')], 0, 9)).toHaveLength(1)
  expect(asked).toBeLessThan(40)
  world.close()
})

const limits = { ...defaultLabelLimits, labels: 3, nameLength: 10, valueLength: 10, seriesPerOrganization: 2 }
test.each([
  ['too many labels', labels({ a: '1', b: '2', c: '3' }), 1, 'labels: must have at most 3 entries, not 4'],
  ['a long name', labels({ abcdefghijk: '1' }), 1, 'labels: must be names of at most 10 characters, not abcdefghijk'],
  ['a long value', labels({ a: '12345678901' }), 1, 'labels: must be at most 10 characters in a, not 11'],
  ['a name twice', [...labels({}), ...labels({})], 1, 'labels: must have __name__ once'],
  ['a label without a name', labels({ '': 'x' }), 1, 'labels: must have no empty name'],
  ['nothing', labels({ __name__: '' }), 1, 'labels: must have at least one entry that is not empty'],
  [
    'one series more',
    labels({ a: 'third' }),
    1,
    'An organization may have at most 2 series in the embedded source (QUOTA_SERIES)',
  ],
  ['half a millisecond', labels({}), 0.5, 'timestamp: must be whole milliseconds since 1970, not 0.5'],
  ['no time', labels({}), NaN, 'timestamp: must be whole milliseconds since 1970, not NaN'],
])('%s is refused and leaves nothing', (_, refused, timeMs, details) => {
  const world = storeWorld({ limits })
  world.store().append(1, labels({ a: 'first' }), 1, 1)
  world.store().append(1, labels({ a: 'second' }), 1, 1)
  const kind = details.includes('QUOTA') ? 'conflict' : 'invalid'
  expect(() => world.store().append(1, refused, timeMs, 1)).toThrow(expect.objectContaining({ kind, details }))
  expect([...world.store().labelValues(1, 'a')]).toEqual(['first', 'second'])
  expect([...world.store().labelNames(1)].toSorted()).toEqual(['__name__', 'a'])
  world.close()
})
