import { expect, test } from 'bun:test'
import { methodsByPath } from '../../../src/http/openapi/routes-table.ts'

const methods = methodsByPath([
  { method: 'GET', path: '/slos/' },
  { method: 'POST', path: '/slos/' },
  { method: 'PUT', path: '/slos/:id' },
  { method: 'GET', path: '/slos/summary' },
  { method: 'GET', path: '/.well-known/a.b' },
  { method: 'OPTIONS', path: '/' },
  { method: 'OPTIONS', path: '/*' },
])

test.each([
  ['/slos', ['GET', 'HEAD', 'POST']],
  ['/slos/', ['GET', 'HEAD', 'POST']],
  ['/slos/7', ['PUT']],
  ['/slos/%2F', ['PUT']],
  ['/slos/summary', ['GET', 'HEAD', 'PUT']],
  ['/slos/7/8', []],
  ['/slos//', []],
  ['/x/slos', []],
  ['/SLOS', []],
  ['/.well-known/a.b', ['GET', 'HEAD']],
  ['/.well-known/axb', []],
  ['/', []],
])('%s takes %j', (path, taken) => {
  expect(methods(path)).toEqual(taken)
})
