import { expect, test } from 'bun:test'
import { instanceOf, mergedLabels, targetLabels } from '../../../../src/embedded/collection/series/target-labels.ts'
import type { Label } from '../../../../src/embedded/exposition/sample.ts'
import { nameOf } from '../collected-world.ts'

const ofTarget: Label[] = [
  ['instance', 'i'],
  ['job', 'j'],
]

test.each<[string, Record<string, string>, boolean, string]>([
  ['adds the labels of the target', { a: '1' }, false, 'm{a="1",instance="i",job="j"}'],
  ['moves what is in the way', { job: 'x' }, false, 'm{exported_job="x",instance="i",job="j"}'],
  [
    'moves it as far as is free',
    { job: 'x', exported_job: 'y' },
    false,
    'm{exported_exported_job="x",exported_job="y",instance="i",job="j"}',
  ],
  ['takes the place of an empty one', { job: '' }, false, 'm{instance="i",job="j"}'],
  ['and so does one that is moved', { job: 'x', exported_job: '' }, false, 'm{exported_job="x",instance="i",job="j"}'],
  ['or leaves its own', { job: 'x' }, true, 'm{instance="i",job="x"}'],
  ['and an empty one out', { instance: '' }, true, 'm{job="j"}'],
])('a series %s', (_, labels, honorLabels, name) => {
  expect(nameOf(mergedLabels([['__name__', 'm'], ...Object.entries(labels)], ofTarget, honorLabels))).toBe(name)
})

test.each([
  ['http://example.com/metrics?a=b', 'example.com:80'],
  ['https://example.com', 'example.com:443'],
  ['https://[::1]:9100/metrics', '[::1]:9100'],
  ['nines:metrics', 'nines:metrics'],
])('the instance of %s is %s', (url, instance) => {
  expect(instanceOf(url)).toBe(instance)
})

test('the labels of a target replace job and instance', () => {
  expect(targetLabels({ name: 'n', labels: { instance: 'mine', a: 'b' } }, 'i')).toEqual([
    ['a', 'b'],
    ['instance', 'mine'],
    ['job', 'n'],
  ])
})
