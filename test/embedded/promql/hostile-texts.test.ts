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
  const slow = texts.filter((text) => secondsToRead(text) > 1 && secondsToRead(text) > 1) // the first time may be another's load
  expect(slow.map((text) => text.slice(0, 40))).toEqual([])
})

/** CPU time of the thread. */
function secondsToRead(text: string): number {
  const before = process.threadCpuUsage()
  readPromql(text)
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1e6
}
