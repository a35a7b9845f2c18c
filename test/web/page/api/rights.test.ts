import { afterAll, beforeAll, expect, test } from 'bun:test'
import type * as Rights from '../../../../src/web/page/api/rights.ts'
import type * as Session from '../../../../src/web/page/api/session.ts'
import type { User } from '../../../../src/web/page/api/types.ts'
import { fakeBrowser } from './fake-browser.ts'

let browser: ReturnType<typeof fakeBrowser>
let rights: typeof Rights // loaded once the browser globals exist
let session: typeof Session

beforeAll(async () => {
  browser = fakeBrowser(() => Response.json({}))
  rights = await import('../../../../src/web/page/api/rights.ts')
  session = await import('../../../../src/web/page/api/session.ts')
})
afterAll(() => {
  session.me.value = undefined
  browser.restore()
})

test.each([
  ['viewer', 'edit', 'Your role can look, not change. An administrator can give you another role.'],
  ['member', 'edit', undefined],
  ['admin', 'edit', undefined],
  ['viewer', 'administer', 'An administrator of the organization can do this.'],
  ['member', 'administer', 'An administrator of the organization can do this.'],
  ['admin', 'administer', undefined],
] as const)('the reason why a user with the role %s may not %s is %p', (role, right, sentence) => {
  session.me.value = { role } as User
  expect(rights.whyNot(right)).toBe(sentence)
})

test('nobody may administer before the user is known', () => {
  session.me.value = undefined
  expect(rights.whyNot('administer')).toBeDefined()
})
