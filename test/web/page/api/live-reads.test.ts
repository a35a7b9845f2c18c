import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type * as Live from '../../../../src/web/page/api/live.ts'
import type * as Session from '../../../../src/web/page/api/session.ts'
import type * as Reads from '../../../../src/web/page/api/live-reads.ts'
import { fakeBrowser, FakeSocket, pass } from './fake-browser.ts'

const second = 1000

describe('a resource that follows messages', () => {
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
      import('../../../../src/web/page/api/live-reads.ts'),
    ])
    parts = { ...live, ...session, ...reads }
    await parts.signIn('/auth/login', {})
  })
  afterAll(() => browser.restore())

  let readAtMs = 0
  const followBy = (live: Reads.Live<number[]>) => {
    const reading = {
      readSoon: (afterMs = 0) => void dueMs.push(afterMs),
      readAtMs: { peek: () => readAtMs },
      value: { peek: () => [1] },
    }
    end = parts.follow(reading as unknown as Parameters<typeof parts.follow<number[]>>[0], live)
  }
  beforeEach(async () => {
    parts.connect()
    await pass(100)
    FakeSocket.last?.open()
    readAtMs = Date.now()
  })
  afterEach(() => {
    end()
    parts.disconnect()
  })

  test('of incidents is read after each evaluation of a failing SLO, at most every five seconds', async () => {
    followBy(parts.ofIncidents({ isFailing: (id, failing) => failing?.includes(id) === true }))
    expect(await sinceRead(second, () => evaluated(1))).toEqual([4 * second])
    expect(await sinceRead(9 * second, () => evaluated(1))).toEqual([300])
  })

  test('of incidents is read at most every 30 seconds after evaluations of other SLOs', async () => {
    followBy(parts.ofIncidents({ isFailing: (id, failing) => failing?.includes(id) === true }))
    expect(await sinceRead(10 * second, () => evaluated(2))).toEqual([20 * second])
  })

  test('of incidents is read after a change, and once more when its messages have been sent', async () => {
    followBy(parts.ofIncidents())
    expect(await sinceRead(9 * second, () => FakeSocket.last?.say('notification', { slo_id: 1 }))).toEqual([300])
    await pass(6 * second)
    expect(dueMs).toEqual([300, 0])
  })

  test('of an SLO is read after its own evaluations, at once or five seconds after the last read', async () => {
    followBy(parts.ofSlo(1))
    expect(await sinceRead(second, () => evaluated(2))).toEqual([])
    expect(await sinceRead(0, () => evaluated(1))).toEqual([4 * second])
    expect(await sinceRead(9 * second, () => evaluated(1))).toEqual([0])
  })

  test('of notifications is read when those of an alert are delivered', async () => {
    followBy(parts.ofDeliveries)
    expect(await sinceRead(0, () => FakeSocket.last?.say('notification', { slo_id: 1 }))).toEqual([3 * second])
    expect(await sinceRead(0, () => evaluated(1))).toEqual([30 * second])
  })
})
