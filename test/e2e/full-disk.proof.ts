import { afterEach, expect, test } from 'bun:test'
import type { Answer } from '../support/app.ts'
import { closeAll, closeLater } from '../support/closing.ts'
import { webhookTo } from '../support/good-configurations.ts'
import { launch, type Nines, register, startNines } from '../support/process.ts'
import { startReceiver } from '../support/receiver.ts'
import { describeOnSmallDisk, smallDisk } from '../support/small-disk.ts'

afterEach(closeAll)

const megabyte = 1024 * 1024
const slo = { target: 99, time_window: '1h', metric_type: 'availability', metric_query: 'avg_over_time(up[1h])' }

/** Exposes the number of its scrapes: 1, 2, 3, … */
function countingTarget() {
  let scrapes = 0
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: () => new Response(`scrapes ${(scrapes += 1)}\n`),
  })
  closeLater(() => void server.stop(true))
  return { url: server.url.href, served: () => scrapes }
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await Bun.sleep(100)
}

const createSlo = (nines: Nines, token: string) =>
  nines.call('POST', '/api/v1/slos', { ...slo, name: 'More', description: 'x'.repeat(1900) }, token)

async function untilRefused(nines: Nines, token: string): Promise<Answer> {
  for (;;) {
    const answer = await createSlo(nines, token)
    if (answer.status !== 201) return answer
  }
}

/** Stored values of the target, oldest first. */
async function storedScrapes(nines: Nines, token: string): Promise<number[]> {
  const path = '/embedded/prometheus/api/v1/query?query=scrapes[1h]'
  const { body } = await nines.call('GET', path, undefined, token)
  return (body.data.result[0]?.values ?? []).map(([, value]: [number, string]) => Number(value))
}

const count = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at)

describeOnSmallDisk('on a disk that is full', () => {
  test('nines says so, logs it once, serves reads, and goes on when there is room, with nothing lost or sent twice', async () => {
    const disk = smallDisk(16 * megabyte)
    const nines = await startNines({ dataDir: disk.folder, env: { EVALUATION_INTERVAL: '10' } })
    const token = await register(nines, 'ada')
    const call = (method: string, path: string, body?: unknown) => nines.call(method, `/api/v1${path}`, body, token)
    const target = countingTarget()
    await call('POST', '/embedded/targets', { name: 'app', url: target.url, interval_seconds: 5 })
    const opened = Promise.withResolvers<void>()
    const receiver = startReceiver(() => new Response('ok'))
    closeLater(() => void receiver.close())
    receiver.next(async () => {
      await opened.promise
      return new Response('ok')
    })
    const channel = (await call('POST', '/notifications/channels', webhookTo(receiver.url))).body.data.id
    const { id } = (await call('POST', '/slos', { ...slo, name: 'Up' })).body
    for (const alert_type of ['violation', 'warning', 'burn_rate_too_fast']) {
      const rule = { slo_id: id, channel_id: channel, alert_type }
      expect((await call('POST', '/notifications/rules', rule)).status).toBe(201)
    }
    const statuses = async (): Promise<string[]> =>
      (await call('GET', '/notifications/history')).body.notifications.map(({ status }: { status: string }) => status)
    await until(async () => receiver.received.length === 1)

    disk.fill()
    const refused = await untilRefused(nines, token)
    expect([refused.status, refused.body.error, refused.headers.get('retry-after')]).toEqual([503, 'disk is full', '5'])
    // data sent from now on cannot be written
    opened.resolve()
    const logged = nines.log().length
    const [scraped, untilMs] = [target.served(), Date.now() + 10_000]
    while (Date.now() < untilMs || target.served() < scraped + 2) {
      const entry = { key: 'a', query: 'up', slo_id: id, time_window: '1h', result: ['x'.repeat(5000)] }
      const writes = [await createSlo(nines, token), await call('POST', '/cache/entry', entry)]
      const reads = [
        await call('GET', '/slos'),
        await call('GET', '/tsdb/health'),
        await call('POST', '/tsdb/calculate-slo', { slo_id: id, time_window: '1h' }),
      ]
      expect([...writes, await nines.call('GET', '/ready')].map(({ status, body }) => [status, body.error])).toEqual(
        Array.from({ length: 3 }, () => [503, 'disk is full']),
      )
      expect(reads.map(({ status }) => status)).toEqual([200, 200, 200])
    }
    const said = nines.log().slice(logged)
    // the condition, and perhaps a line of one minute
    expect(said.length).toBeLessThan(2000)
    expect(said).not.toContain(' at ')
    const served = target.served()
    await until(async () => (await storedScrapes(nines, token)).length >= served)

    disk.free()
    await until(async () => (await nines.call('GET', '/ready')).status === 200)
    // the lease is longer than this test
    await until(async () => (await statuses()).every((status) => status === 'delivered'))
    const keys = receiver.received.map(({ headers }) => headers.get('idempotency-key'))
    expect(keys).toHaveLength(3)
    expect(new Set(keys).size).toBe(3)
    expect((await createSlo(nines, token)).status).toBe(201)
    const entry = { key: 'a', query: 'up', slo_id: id, time_window: '1h', result: 1 }
    expect((await call('POST', '/cache/entry', entry)).status).toBe(200)
    expect(nines.log().match(/condition began","condition":"disk_full"/g)).toHaveLength(1)
    expect(nines.log()).toContain('condition ended')
    const written = target.served()
    // scrapes are five seconds apart, so the first ones are written
    await until(async () => target.served() === written + 2)
    nines.kill('SIGKILL')
    await nines.exited
    const again = await startNines({ dataDir: disk.folder })
    expect((await storedScrapes(again, token)).slice(0, written)).toEqual(count(1, written))
    expect((await again.call('GET', '/api/v1/cache/entry/a', undefined, token)).body.data.result).toBe(1)
    again.kill('SIGTERM')
    expect(await again.exited).toBe(0)
  }, 90_000)

  test('a start serves what is there, or says in a sentence that the disk is full and ends with code 1', async () => {
    const disk = smallDisk(16 * megabyte)
    const nines = await startNines({ dataDir: disk.folder })
    const token = await register(nines, 'ada')
    expect((await createSlo(nines, token)).status).toBe(201)
    nines.kill('SIGKILL')
    await nines.exited
    disk.fill()
    const started = launch({ dataDir: disk.folder })
    await started.said(/is listening on|disk is full: nothing can be stored/)
    if (!started.log().includes('is listening on')) expect(await started.exited).toBe(1)
    expect(started.log()).not.toContain(' at ')
    disk.free()
    const after = await startNines({ dataDir: disk.folder })
    expect((await after.call('GET', '/api/v1/slos', undefined, token)).body.total).toBe(1)
  }, 60_000)

  test('a start on a file system that is read-only says so in a sentence and ends with code 1', async () => {
    const disk = smallDisk(16 * megabyte)
    const nines = await startNines({ dataDir: disk.folder })
    nines.kill('SIGTERM')
    expect(await nines.exited).toBe(0)
    disk.makeReadOnly()
    const started = launch({ dataDir: disk.folder })
    expect(await started.exited).toBe(1)
    expect(started.log()).toContain('the file system of the data folder (DATA_DIR) is mounted read-only')
  }, 60_000)
})
