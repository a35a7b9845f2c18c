import { afterAll, beforeAll, expect, test } from 'bun:test'
import type * as Client from '../../../../../src/web/page/api/client.ts'
import { FieldProblem } from '../../../../../src/web/page/ui/form/assign-problems.ts'
import type * as Refusals from '../../../../../src/web/page/ui/form/refusal.ts'
import { fakeBrowser } from '../../api/fake-browser.ts'

let browser: ReturnType<typeof fakeBrowser>
let page: typeof Client & typeof Refusals // loaded once the browser globals exist

beforeAll(async () => {
  browser = fakeBrowser(() => Response.json({}))
  page = {
    ...(await import('../../../../../src/web/page/api/client.ts')),
    ...(await import('../../../../../src/web/page/ui/form/refusal.ts')),
  }
})
afterAll(() => browser.restore())

test('a refusal of the server has its problems, and an error without any is a sentence', () => {
  const problems = [{ field: 'name', message: 'must be another one' }]
  const { ApiError, refusalOf } = page
  expect(refusalOf(new ApiError(409, 'Conflict', 'the name is taken', problems))).toEqual({ problems })
  expect(refusalOf(new ApiError(409, 'Conflict', 'the silence has ended'))).toEqual({
    problems: [],
    error: 'The silence has ended.',
  })
  expect(refusalOf(new TypeError('not a number'))).toEqual({ problems: [], error: 'TypeError: not a number.' })
})

test('a problem that is found while the request is made is one of its field', () => {
  const { problems, error } = page.refusalOf(new FieldProblem('labels', 'line 1 has a again'))
  expect([problems[0]?.field, problems[0]?.message, error]).toEqual(['labels', 'line 1 has a again', undefined])
})
