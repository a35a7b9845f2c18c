import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type TestApp, testApp, testStartMs } from '../support/app.ts'
import { startWriteReceiver, type WriteReceiver } from '../support/write-receiver.ts'

let receiver: WriteReceiver
let nines: TestApp
beforeEach(() => {
  receiver = startWriteReceiver()
})
afterEach(async () => {
  await nines.close()
  await receiver.close()
})

async function start(env: Record<string, string> = {}): Promise<void> {
  const url = { REMOTE_WRITE_URL: `${receiver.url}/api/v1/write?extra=1`, SOURCE_URL: 'embedded' }
  nines = await testApp({ env: { ...url, ...env } })
  await nines.app.sender.run()
}

/** Appends a sample of each job, and writes them to the disk. */
async function append(value: number, ...jobs: string[]): Promise<void> {
  for (const job of jobs)
    nines.app.samples.append(
      1,
      [
        ['__name__', 'm'],
        ['job', job],
      ],
      testStartMs + value,
      value,
    )
  await nines.app.samples.flushCooperatively()
}

const sample = (job: string, value: number) =>
  `{__name__="m",job="${job}",nines_organization="1"} ${testStartMs + value} ${value}`
const status = (status: number, headers: Record<string, string> = {}) => new Response('why not', { status, headers })
const metric = async (name: string) =>
  new RegExp(`^${name.replace(/[{}]/g, '\\$&')} (.*)$`, 'm').exec(await nines.app.metrics.exposition())?.[1]

describe('samples of the embedded source', () => {
  test('are sent with the headers of remote write, and counted', async () => {
    await start({ REMOTE_WRITE_HEADERS: 'X-Scope-OrgID: ours', REMOTE_WRITE_BEARER_TOKEN: 'sesame' })
    await append(1, 'a', 'b')
    await nines.app.sender.run()
    expect(receiver.accepted()).toEqual([sample('a', 1), sample('b', 1)])
    const [{ headers, path } = { headers: new Headers(), path: '' }] = receiver.written
    expect(path).toBe('/api/v1/write?extra=1')
    expect(headers.toJSON()).toMatchObject({
      authorization: 'Bearer sesame',
      'content-encoding': 'snappy',
      'content-type': 'application/x-protobuf',
      'x-prometheus-remote-write-version': '0.1.0',
      'x-scope-orgid': 'ours',
    })
    expect(await metric('nines_remote_write_samples_total{outcome="sent"}')).toBe('2')
    expect(await metric('nines_remote_write_pending_samples')).toBe('0')
    expect(await metric('nines_remote_write_last_success_timestamp_seconds')).toBe(String(testStartMs / 1000))
  })

  test('are sent from the start on, also those that are on disk before the first run', async () => {
    nines = await testApp({ env: { REMOTE_WRITE_URL: `${receiver.url}/api/v1/write`, SOURCE_URL: 'embedded' } })
    await append(1, 'a')
    await nines.app.sender.run()
    expect(receiver.accepted()).toEqual([sample('a', 1)])
  })

  test('are sent with basic authentication', async () => {
    await start({ REMOTE_WRITE_USERNAME: 'ada', REMOTE_WRITE_PASSWORD: 'sesame' })
    await append(1, 'a')
    await nines.app.sender.run()
    expect(receiver.written[0]?.headers.get('authorization')).toBe(`Basic ${btoa('ada:sesame')}`)
  })

  test('are only those that the selectors choose', async () => {
    await start({ REMOTE_WRITE_MATCH: '{job="b"}, other' })
    await append(1, 'a')
    await append(2, 'a', 'b')
    await nines.app.sender.run()
    expect(receiver.accepted()).toEqual([sample('b', 2)])
  })

  test('are not sent anywhere without a URL', async () => {
    await start({ REMOTE_WRITE_URL: '' })
    await append(1, 'a')
    await nines.app.sender.run()
    expect(receiver.written).toEqual([])
    expect(nines.app.samples.outgoingSamples()).toBe(0)
  })
})

test('a wrong selector stops the start', async () => {
  await start()
  const opening = testApp({ env: { REMOTE_WRITE_MATCH: 'sum(up)' } })
  expect(opening).rejects.toThrow('REMOTE_WRITE_MATCH: must be selectors such as {job="a"}')
})

describe('an answer', () => {
  test.each([429, 500, 503, 302])('%i is retried, later each time, until the samples are accepted', async (code) => {
    await start()
    await append(1, 'a')
    receiver.next(status(code), status(code))
    for (const waitMs of [0, 999, 1, 1999, 1]) {
      nines.clock.advance(waitMs)
      await nines.app.sender.run()
    }
    expect(receiver.written.map(({ samples }) => samples)).toEqual(Array.from({ length: 3 }, () => [sample('a', 1)]))
    expect(receiver.accepted()).toEqual([sample('a', 1)])
    expect(nines.logged.filter((line) => line.includes('remote write'))).toEqual([
      expect.stringContaining(`HTTP ${code}: why not`),
      expect.stringContaining('remote write goes on'),
    ])
  })

  test('with Retry-After is obeyed', async () => {
    await start()
    await append(1, 'a')
    receiver.next(status(503, { 'retry-after': '40' }))
    for (const waitMs of [0, 39_999, 1]) {
      nines.clock.advance(waitMs)
      await nines.app.sender.run()
    }
    expect(receiver.written).toHaveLength(2)
  })

  test.each([400, 401, 404, 413])('%i drops the samples, and says so', async (code) => {
    await start()
    await append(1, 'a', 'b')
    receiver.next(status(code))
    await nines.app.sender.run()
    await append(2, 'a')
    await nines.app.sender.run()
    expect(receiver.accepted()).toEqual([sample('a', 2)])
    expect(await metric('nines_remote_write_samples_total{outcome="dropped"}')).toBe('2')
    expect(nines.logged.join('\n')).toContain(`HTTP ${code}: why not`)
    await nines.app.selfMonitoring.watch()
    const message = `the receiver of REMOTE_WRITE_URL refused 2 samples, last with HTTP ${code}; they are dropped`
    expect(nines.app.conditions.list()).toMatchObject([{ name: 'remote_write_refused', message }])
    nines.clock.advance(3_600_000)
    await nines.app.sender.run()
    await nines.app.selfMonitoring.watch()
    expect(nines.app.conditions.list()).toEqual([])
  })
})

test('a receiver that is absent for 15 minutes is a condition, until all is sent', async () => {
  await start()
  await append(1, 'a')
  await receiver.close()
  const wait = async (minutes: number) => {
    for (let at = 0; at < minutes * 12; at += 1) {
      nines.clock.advance(5000)
      await nines.app.sender.run()
      await nines.app.selfMonitoring.watch()
    }
  }
  await wait(14)
  expect(nines.app.conditions.list()).toEqual([])
  await wait(2)
  const [condition] = nines.app.conditions.list()
  expect(condition?.name).toBe('remote_write_delayed')
  expect(condition?.message).toMatch(/for 1[56] minutes \(connection refused\)$/)
})

test('samples that wait in a batch are sent again after a restart', async () => {
  await start()
  await nines.join('ada') // otherwise the start removes what belongs to nobody
  await append(1, 'a')
  receiver.next(status(500))
  await nines.app.sender.run()
  const { dataDir } = nines
  await nines.app.close()
  const url = { REMOTE_WRITE_URL: receiver.url, SOURCE_URL: 'embedded' }
  const again = await testApp({ env: url, dataDir })
  await again.app.sender.run()
  expect(receiver.accepted()).toEqual([sample('a', 1)])
  await again.app.close()
})

test('the series of SLOs are sent, each with its organization, and end with the SLO', async () => {
  await start({ REMOTE_WRITE_MATCH: 'slo_target_ratio' })
  await nines.join('ada')
  await nines.join('bob')
  const slo = { name: 'Say "hi"', target: 99.5, time_window: '30d', metric_type: 'availability', metric_query: 'm' }
  const made = await nines.call('POST', '/api/v1/slos', slo)
  await nines.app.writeSloSamples?.()
  await nines.app.samples.flushCooperatively()
  await nines.app.sender.run()
  const labels = receiver.accepted()[0]?.replace(/ \d+ 0.995$/, '')
  expect(labels).toMatch(
    /^{__name__="slo_target_ratio",nines_organization="1",organization="ada Inc",slo_id="1",slo_name="Say "hi"",team=/,
  )
  await nines.call('DELETE', `/api/v1/slos/${made.body.id}`)
  nines.clock.advance(60_000)
  await nines.app.writeSloSamples?.()
  await nines.app.samples.flushCooperatively()
  await nines.app.sender.run()
  expect(receiver.accepted()[1]).toBe(`${labels} ${nines.clock.now()} stale`)
})
