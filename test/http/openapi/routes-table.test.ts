import { expect, test } from 'bun:test'
import { createRouteTable } from '../../../src/http/openapi/routes-table.ts'

const { methodsOf, isMisrouted } = createRouteTable(() => [
  { method: 'GET', path: '/slos/' },
  { method: 'POST', path: '/slos/' },
  { method: 'PUT', path: '/slos/:id' },
  { method: 'GET', path: '/slos/summary' },
  { method: 'GET', path: '/slos/:id/steps' },
  { method: 'POST', path: '/slos/summary/:name' },
  { method: 'GET', path: '/.well-known/a.b' },
  { method: 'POST', path: '/reports/*' },
  { method: 'GET', path: '/reports/last' },
  { method: 'OPTIONS', path: '/' },
  { method: 'OPTIONS', path: '/*' },
])

test.each([
  ['/slos', ['GET', 'HEAD', 'POST']],
  ['/slos/', ['GET', 'HEAD', 'POST']],
  ['/slos/7', ['PUT']],
  ['/slos/%2F', ['PUT']],
  ['/slos/summary', ['GET', 'HEAD']],
  ['/slos/summary/', ['GET', 'HEAD']],
  ['/slos/7/steps', ['GET', 'HEAD']],
  ['/slos/summary/steps', ['POST']],
  ['/slos/7/8', []],
  ['/slos//', []],
  ['/x/slos', []],
  ['/SLOS', []],
  ['/.well-known/a.b', ['GET', 'HEAD']],
  ['/.well-known/axb', []],
  ['/reports/7/start', ['POST']],
  ['/reports/', ['POST']],
  ['/reports', []],
  ['/reports/last', ['GET', 'HEAD']],
  ['/', []],
])('%s takes %j', (path, taken) => {
  expect(methodsOf(path)).toEqual(taken)
})

test.each([
  ['/slos/summary', '/slos/:id', true],
  ['/slos/summary/', '/slos/:id', true],
  ['/slos/summary', '/slos/summary', false],
  ['/slos/7', '/slos/:id', false],
  ['/slos/summary/steps', '/slos/:id/steps', true],
  ['/slos/summary/steps', '/slos/summary/:name', false],
  ['/slos', '/slos/', false],
  ['/nope', '/nope', false],
])('%s routed to %s is of another template: %p', (path, template, isOther) => {
  expect(isMisrouted(path, template)).toBe(isOther)
})
