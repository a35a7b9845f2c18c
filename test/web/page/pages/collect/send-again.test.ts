import { beforeAll, expect, test } from 'bun:test'
import type * as Client from '../../../../../src/web/page/api/client.ts'
import type * as ImportFile from '../../../../../src/web/page/pages/collect/storage/import-file.ts'
import { fakeBrowser } from '../../api/fake-browser.ts'

let ApiError: typeof Client.ApiError
let sendAgain: typeof ImportFile.sendAgain
beforeAll(async () => {
  // modules are loaded after it exists
  const browser = fakeBrowser(() => Response.json({}))
  ;({ ApiError } = await import('../../../../../src/web/page/api/client.ts'))
  ;({ sendAgain } = await import('../../../../../src/web/page/pages/collect/storage/import-file.ts'))
  browser.restore()
})

const minuteMs = 60_000
const refusal = (status: number, retryAfter?: number) => new ApiError(status, 'refused', undefined, [], retryAfter)

/** Sends a request that first gets these refusals. Returns the answer, or the status of the last refusal, and the pauses. */
async function sending(refusals: Error[], maxWaitMs = 10 * minuteMs) {
  const left = [...refusals]
  const pauses: number[] = []
  const send = async () => {
    const refused = left.shift()
    if (refused) throw refused
    return 'imported'
  }
  const pause = async (ms: number) => void pauses.push(ms)
  const outcome = await sendAgain(send, pause, maxWaitMs).catch((error: unknown) =>
    error instanceof ApiError ? error.status : error,
  )
  return { outcome, pauses }
}

test('a part that the server has no room for is sent again after as long as it says, however often that is', async () => {
  const refusals = Array.from({ length: 40 }, (_, at) => (at % 2 === 0 ? refusal(503, 2) : refusal(429, 3)))
  const { outcome, pauses } = await sending(refusals)
  expect(outcome).toBe('imported')
  expect(pauses).toEqual(refusals.map((_, at) => (at % 2 === 0 ? 2000 : 3000)))
})

test('who has waited for as long as is allowed gives up', async () => {
  const { outcome, pauses } = await sending(Array(100).fill(refusal(503, 30)), minuteMs)
  expect([outcome, pauses]).toEqual([503, [30_000, 30_000]])
})

test('a part that does not arrive is sent five times', async () => {
  expect(await sending(Array(4).fill(refusal(0)))).toEqual({ outcome: 'imported', pauses: Array(4).fill(2000) })
  expect((await sending(Array(5).fill(refusal(0)))).outcome).toBe(0)
})

test('what is refused for good is not sent again', async () => {
  expect(await sending([refusal(400)])).toEqual({ outcome: 400, pauses: [] })
  expect(await sending([new TypeError('aborted')])).toEqual({ outcome: new TypeError('aborted'), pauses: [] })
})
