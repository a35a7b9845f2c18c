import { expect, test } from 'bun:test'
import { operationsOf, readDocument } from './document.ts'

const page = await Bun.file(new URL('../../docs/api.md', import.meta.url)).text()
const { document } = await readDocument()
const prefix = '/api/v1'
const reads = operationsOf(document).filter(({ name }) => name.startsWith(`GET ${prefix}/`))
const ofPrometheus = /\/prometheus\/api\/v1\//
const others = reads.filter(({ path }) => !ofPrometheus.test(path))
const pathOf = (name: string) => name.slice(`GET ${prefix}`.length)

test('docs/api.md names the lists that take no page', () => {
  const isPaged = ({ parameters = [] }: (typeof reads)[number]) => parameters.some(({ name }) => name === 'page')
  const lists = others.filter(({ operationId }) => operationId.startsWith('list'))
  const whole = lists.filter((list) => !isPaged(list)).map(({ name }) => pathOf(name))
  expect(pathsIn(/^These take neither .*?\n\n/ms).toSorted()).toEqual(whole.toSorted())
  expect(lists.filter(isPaged).length).toBeGreaterThan(8)
})

test('docs/api.md names the GETs without an ETag', () => {
  const named = pathsIn(/^None have .*?, the Prometheus-compatible API/ms)
  const without = others.filter(({ responses }) => '200' in responses && !('304' in responses))
  expect(new Set(without.map(({ name }) => pathOf(name).replace('/:id', '')))).toEqual(new Set(named))
  expect(reads.filter(({ path }) => ofPrometheus.test(path)).some(({ responses }) => '304' in responses)).toBe(false)
})

/** Paths in backticks within a passage. */
function pathsIn(passage: RegExp): string[] {
  const [text = ''] = passage.exec(page) ?? []
  return [...text.matchAll(/`(\/[^`]*)`/g)].map(([, path = '']) => path)
}
