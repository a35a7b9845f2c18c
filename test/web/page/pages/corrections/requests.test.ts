import { afterAll, beforeAll, beforeEach, expect, setSystemTime, test } from 'bun:test'
import type * as Requests from '../../../../../src/web/page/pages/corrections/requests.ts'
import type * as Toast from '../../../../../src/web/page/ui/toast.ts'
import { fakeBrowser, pass } from '../../api/fake-browser.ts'
import { correction } from './correction.ts'

const hourMs = 3_600_000

let browser: ReturnType<typeof fakeBrowser>
let page: typeof Requests & typeof Toast // loaded once the browser globals exist
let sent: unknown[][] // method, path and body
let silenceState: string

beforeAll(async () => {
  browser = fakeBrowser(() => Response.json({}))
  globalThis.fetch = (async (url: string, { method = 'GET', body }: { method?: string; body?: string }) => {
    sent.push([method, url.replace(/.*\/api\/v1/, ''), ...(body === undefined ? [] : [JSON.parse(body)])])
    return Response.json({ data: { state: silenceState } })
  }) as typeof fetch
  page = {
    ...(await import('../../../../../src/web/page/pages/corrections/requests.ts')),
    ...(await import('../../../../../src/web/page/ui/toast.ts')),
  }
})
afterAll(() => browser.restore())
beforeEach(() => {
  sent = []
  page.toasts.value = []
})

test.each([
  ['in force, has a silence again', 1, 'active', 0, true],
  ['ended by a person, has none', 1, 'expired', 0, false],
  ['in force, has none once its time is over', 1, 'active', 2 * hourMs, false],
  ['never made, has none', null, 'active', 0, false],
])('a correction that is restored, whose silence was %s', async (_, silence_id, state, afterMs, isHeld) => {
  silenceState = state
  const to = new Date(Date.now() + hourMs).toISOString()
  await page.deleteCorrection({ ...correction, to, silence_id })
  expect(sent.at(-1)).toEqual(['DELETE', '/corrections/1'])
  setSystemTime(Date.now() + afterMs)
  page.toasts.peek()[0]?.undo?.()
  await pass(0)
  setSystemTime()
  expect(sent.at(-1)).toEqual([
    'POST',
    '/corrections',
    { slo_ids: [7], from: correction.from, to, category: 'planned_maintenance', text: '', hold_alerts: isHeld },
  ])
})
