import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { slowestFiles, slowFiles, timingsOf } from '../../scripts/slowest.mjs'

test('the slowest test files come first, in seconds, and no more than are asked for', () => {
  const files = { 'test/a.test.ts': 40, 'test/b.test.ts': 125_040, 'test/c.test.ts': 2000 }
  expect(slowestFiles({ files }, 2)).toEqual(['  125.0 s  test/b.test.ts', '    2.0 s  test/c.test.ts'])
})

test('there are twenty of them', () => {
  const files = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`test/${at}.test.ts`, at]))
  expect(slowestFiles({ files })).toHaveLength(20)
})

test('the files that start first are there, and come before all others in their order', () => {
  expect(slowFiles.filter((name) => !existsSync(name))).toEqual([])
  const { files } = timingsOf(['test/other.test.ts', ...slowFiles.toReversed()])
  const order = Object.entries(files).toSorted(([, a], [, b]) => b - a)
  expect(order.map(([name]) => name)).toEqual([...slowFiles, 'test/other.test.ts'])
})
