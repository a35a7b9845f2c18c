import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import type * as BulkChange from '../../../../src/web/page/slo/bulk-change.ts'
import type * as Toast from '../../../../src/web/page/ui/toast.ts'
import { fakeBrowser, pass } from '../api/fake-browser.ts'

type Sent = { action: string; ids: number[] }

let browser: ReturnType<typeof fakeBrowser>
let page: typeof BulkChange & typeof Toast // loaded once the browser globals exist
let sent: Sent[]
let accepted: number // requests before one is refused

beforeAll(async () => {
  browser = fakeBrowser(() => Response.json({}))
  globalThis.fetch = (async (_: string, { body }: { body: string }) => {
    const request: Sent = JSON.parse(body)
    sent.push(request)
    if (sent.length > accepted) return Response.json({ error: 'Write refused: disk full' }, { status: 503 })
    return Response.json({ results: request.ids.map((id) => ({ id, result: 'changed', error: null })) })
  }) as unknown as typeof fetch
  page = {
    ...(await import('../../../../src/web/page/slo/bulk-change.ts')),
    ...(await import('../../../../src/web/page/ui/toast.ts')),
  }
})
afterAll(() => browser.restore())
beforeEach(() => {
  sent = []
  page.toasts.value = []
})

const slos = Array.from({ length: 700 }, (_, index) => ({ id: index + 1, name: `SLO ${index + 1}` }))
const texts = () => page.toasts.peek().map(({ text }) => text)

test('a pause of many SLOs whose first request is refused changes none', async () => {
  accepted = 0
  expect(await page.setPaused(slos, true)).toBe(false)
  expect(texts()).toEqual(['Not paused. Write refused: disk full.'])
})

test('a pause of many SLOs whose second request is refused says how many were paused, and undoes these', async () => {
  accepted = 1
  expect(await page.setPaused(slos, true)).toBe(false)
  expect(texts()).toEqual(['200 of 700 not paused: Write refused: disk full.', '500 SLOs: paused.'])
  accepted = Infinity
  page.toasts.peek().at(-1)?.undo?.()
  await pass(0)
  expect(sent.slice(2)).toEqual([{ action: 'resume', ids: slos.slice(0, 500).map(({ id }) => id) }])
})
