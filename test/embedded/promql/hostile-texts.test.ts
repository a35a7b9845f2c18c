import { expect, test } from 'bun:test'
import { readPromql } from '../../../src/promql/read.ts'

const longest = 16_384
const pieces =
  '{|(|-|+|by(|{a=|"|[|offset |é|{a="b"}|}|)|]|a |1 |a{|sum(|sum by(|a[5m|@|#|\n|\\|`|\'|,|=|!=|and |or |^|1^-|--1|{{|({|rate'
    .split('|')
    .concat('a[1m:1m][1m:', 'start()^', '^#', 'quantile(', 'topk(1,', 'a=~"', '#x\n', 'a and on(')

/** Each took seconds while the parser recovered from every error, or took time quadratic in its length. */
const texts = pieces.flatMap((piece) => [
  piece.repeat(longest).slice(0, longest),
  ...['{', '1+', '^#', '(a', '@'].flatMap((other) => [
    (piece + other).repeat(longest).slice(0, longest),
    (piece.repeat(longest).slice(0, longest / 2) + other.repeat(longest)).slice(0, longest),
  ]),
])

test('the longest text of any piece of PromQL is read or refused within a moment', () => {
  const slowest = texts.map((text) => {
    const before = process.threadCpuUsage()
    readPromql(text)
    const { user, system } = process.threadCpuUsage(before)
    return { text: text.slice(0, 40), seconds: (user + system) / 1e6 }
  })
  expect(slowest.filter(({ seconds }) => seconds > 1)).toEqual([])
})
