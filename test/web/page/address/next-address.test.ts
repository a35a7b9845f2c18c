import { afterEach, beforeEach, expect, test } from 'bun:test'
import { fakeBrowser } from '../api/fake-browser.ts'

let browser: ReturnType<typeof fakeBrowser>
beforeEach(() => {
  browser = fakeBrowser(() => new Response())
})
afterEach(() => browser.restore())

test.each([
  ['/slos/3?view=budget', '/slos/3?view=budget'],
  [undefined, '/'],
  ['http://nines.test/alerts', '/alerts'],
  ['https://evil.example/x', '/'],
  ['//evil.example/x', '/'],
  ['/.//evil.example/x', '/'],
  ['/..//evil.example/x', '/'],
  ['/.\\/evil.example/x', '/'],
  ['http://[', '/'],
  ['//', '/'],
  ['javascript:alert(1)', '/'],
])('after a sign-in with next=%s the page goes to %s', async (next, address) => {
  const { nextOf } = await import('../../../../src/web/page/address/base.ts')
  expect(nextOf(next)).toBe(address)
})
