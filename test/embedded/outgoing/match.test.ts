import { describe, expect, test } from 'bun:test'
import { readMatch } from '../../../src/embedded/outgoing/match.ts'
import type { StoredSeries } from '../../../src/embedded/store/series.ts'

const rest = { id: 1, organizationId: 1, key: '', head: undefined, barrier: undefined, isRemoved: false }
const series = (labels: Record<string, string>): StoredSeries => ({ ...rest, labels: { __name__: 'up', ...labels } })

describe('the series to send', () => {
  test('are all without a selector', () => {
    for (const text of ['', ' , ']) expect(readMatch(text)(series({}))).toBe(true)
  })

  test.each<[string, Record<string, string>, boolean]>([
    ['up', {}, true],
    ['down', {}, false],
    ['{__name__=~"up|down"}', {}, true],
    ['down, {job="a"}', { job: 'a' }, true],
    ['down {job="a"}', { job: 'b' }, false],
    ['up{job="a,b} c"},down', { job: 'a,b} c' }, true],
    [`{job='a"'}`, { job: 'a"' }, true],
    ['{job="a\\"b"}', { job: 'a"b' }, true],
    ['up{job!="a"}', {}, true],
    ['{"job"="a",zone=~"x.*"}', { job: 'a', zone: 'xy' }, true],
  ])('of %s: %j is sent: %p', (text, labels, isSent) => {
    expect(readMatch(text)(series(labels))).toBe(isSent)
  })

  test.each(['{job="a"', '{}', '{job!="a"}', '{job=}', 'sum(up)', 'up offset 5m', '{job=~"("}', '"'])(
    '%s is refused',
    (text) => {
      expect(() => readMatch(text)).toThrow()
    },
  )
})
