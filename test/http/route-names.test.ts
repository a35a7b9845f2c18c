import { expect, test } from 'bun:test'
import { routeName } from '../../src/http/openapi/routes-table.ts'
import { testApp } from '../support/app.ts'

test.each([
  ['/api/v1/slos/', '/api/v1/slos'],
  ['/api/v1/slos/:id', '/api/v1/slos/:id'],
  ['/', '/'],
])('the template %s is called %s', (template, name) => expect(routeName(template)).toBe(name))

test('metrics and log name a route without a slash at its end, as the reference does', async () => {
  const nines = await testApp()
  await nines.join('ada')
  for (const path of ['/api/v1/slos', '/api/v1/slos/', '/api/v1/cache/config', '/tea']) await nines.call('GET', path)
  await new Promise(setImmediate) // requests are counted after the response
  const { text } = await nines.call('GET', '/metrics', undefined, { token: null })
  expect(text).toContain('http_requests_total{method="GET",path="/api/v1/slos",status="200"} 2')
  expect(text).toContain('http_requests_total{method="GET",path="/api/v1/cache/config",status="200"} 1')
  expect(text).toContain('http_requests_total{method="GET",path="unmatched",status="404"} 1')
  expect(text).not.toMatch(/path="[^"]+\/"/)
  expect(nines.logged.filter((line) => line.includes('"route":"/api/v1/slos/"'))).toEqual([])
  await nines.close()
})
