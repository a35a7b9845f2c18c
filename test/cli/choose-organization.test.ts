import { expect, test } from 'bun:test'
import { chooseOrganization } from '../../src/cli/import/import.ts'

const organizations = (...names: string[]) => names.map((name, at) => ({ id: at + 1, name }))

test.each([
  [undefined, ['Acme'], 1],
  ['2', ['Acme', 'Beta', '1'], 2],
  ['Beta', ['Acme', 'Beta', '1'], 2],
  ['1', ['Acme', 'Beta', '1'], 1], // an id takes precedence over a name
  ['1', ['1', '2', '3'], 1],
])('%p of %j is number %p', (wanted, names, id) => {
  expect(chooseOrganization(organizations(...names), wanted).id).toBe(id)
})

test.each([
  [undefined, [], 'there is no organization yet; start nines and register first'],
  ['Acme', [], 'there is no organization yet; start nines and register first'],
  [undefined, ['A', 'B'], 'say with --organization ID_OR_NAME which one of 1 (A), 2 (B)'],
  ['B', ['A', 'B', 'B'], 'say with --organization ID which one of 2 (B), 3 (B)'],
  ['C', ['A', 'B', 'B'], 'there is no organization "C", but 1 (A), 2 (B), 3 (B)'],
])('%p of %j is none: %s', (wanted, names, reason) => {
  expect(() => chooseOrganization(organizations(...names), wanted)).toThrow(new Error(reason))
})

test('of many, some are named', () => {
  const many = organizations(...Array.from({ length: 30 }, (_, at) => `o${at + 1}`))
  expect(() => chooseOrganization(many, undefined)).toThrow(/1 \(o1\), .*, 20 \(o20\), …$/)
})
