import { afterAll, beforeAll, expect, test } from 'bun:test'
import { closeAll } from '../support/closing.ts'

import { compare, isWriting, readTable, type Table, writeTable } from './counts.ts'
import { countAll } from './operations.ts'

const bounds = readTable()
let counted: Table = {}

beforeAll(async () => {
  counted = await countAll()
  if (isWriting) writeTable(counted)
}, 120_000)
afterAll(closeAll)

test('every operation that is counted has its bounds, and the other way around', () => {
  expect(Object.keys(counted).toSorted()).toEqual(Object.keys(isWriting ? counted : bounds).toSorted())
})

test.each(Object.keys(bounds))('%s takes no more than counts.json allows', (name) => {
  if (!isWriting) expect(compare(name, bounds[name] ?? {}, counted[name] ?? {})).toEqual([])
})

test('more than a bound is reported with what was, what is, and how to accept it', () => {
  const [line] = compare('read an SLO', { statements: 3 }, { statements: 4 })
  expect(line).toBe(
    'read an SLO: statements were 3 at most and are 4; if that is meant: npm run guard, and commit counts.json',
  )
  expect(compare('read an SLO', { statements: 3, bytes: 100 }, { statements: 2, bytes: 102 })).toEqual([])
  expect(compare('read an SLO', { bytes: 100 }, { bytes: 103 })).toHaveLength(1)
})
