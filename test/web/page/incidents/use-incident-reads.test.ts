import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type * as Live from '../../../../src/web/page/api/live.ts'
import type * as Session from '../../../../src/web/page/api/session.ts'
import type * as Reads from '../../../../src/web/page/incidents/use-incident-reads.ts'
import { fakeBrowser, FakeSocket, pass } from '../api/fake-browser.ts'

const second = 1000

describe('what shows incidents', () => {
  let browser: ReturnType<typeof fakeBrowser>
  // loaded once the browser globals exist
  let parts: typeof Live & typeof Session & typeof Reads
  let dueMs: number[]
  let end: () => void

  const evaluated = (sloId: number) => FakeSocket.last?.say('slo_update', { slo_id: sloId })
  const sinceRead = async (ms: number, work: () => void) => {
    dueMs = []
    await pass(ms)
    work()
    return dueMs
  }

  beforeAll(async () => {
    browser = fakeBrowser(() =>
      Response.json({ access_token: 'a', expires_at: '2100-01-01T00:00:00Z', user: { id: 1, name: 'Ada' } }),
    )
    const [live, session, reads] = await Promise.all([
      import('../../../../src/web/page/api/live.ts'),
      import('../../../../src/web/page/api/session.ts'),
      import('../../../../src/web/page/incidents/use-incident-reads.ts'),
    ])
    parts = { ...live, ...session, ...reads }
    await parts.signIn('/auth/login', {})
  })
  afterAll(() => browser.restore())

  let readAtMs = 0
  beforeEach(async () => {
    parts.connect()
    await pass(100)
    FakeSocket.last?.open()
    readAtMs = Date.now()
    const reading = { readSoon: (afterMs = 0) => void dueMs.push(afterMs), readAtMs: { peek: () => readAtMs } }
    end = parts.followIncidents(
      [reading as unknown as Parameters<typeof parts.followIncidents>[0][0]],
      (id) => id === 1,
    )
  })
  afterEach(() => {
    end()
    parts.disconnect()
  })

  test('is read after each evaluation of a failing SLO, at most every five seconds', async () => {
    expect(await sinceRead(second, () => evaluated(1))).toEqual([4 * second])
    expect(await sinceRead(9 * second, () => evaluated(1))).toEqual([300])
  })

  test('is read at most every 30 seconds after evaluations of other SLOs', async () => {
    expect(await sinceRead(10 * second, () => evaluated(2))).toEqual([20 * second])
  })
})
