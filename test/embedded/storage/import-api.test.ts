import { afterEach, beforeEach, expect, test } from 'bun:test'
import { addUser } from '../../support/accounts.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { checkout } from '../../support/slo-calls.ts'

let nines: TestApp
beforeEach(async () => {
  nines = await testApp({ env: { SOURCE_URL: 'embedded', QUOTA_SERIES: '400' } })
  await nines.join('ada')
})
afterEach(() => nines.close())

const path = '/api/v1/embedded'
const send = (body: object, token?: string) => nines.call('POST', `${path}/import`, body, token ? { token } : {})
const now = () => nines.clock.now() / 1000

/** Samples of a metric in the embedded source, of the last hour. */
async function values(metric: string): Promise<string[]> {
  const query = `query=${metric}[1h]&time=${now()}`
  const { body } = await nines.call('GET', `${path}/prometheus/api/v1/query?${query}`)
  return body.data.result.flatMap(({ values: all }: { values: [number, string][] }) => all.map(([, value]) => value))
}

test('a file in one part is imported, and SLOs over the embedded source are backfilled again', async () => {
  await nines.call('POST', '/api/v1/slos', { ...checkout, force: true })
  await nines.call('DELETE', '/api/v1/slos/1/backfill')
  const text = `# TYPE jobs gauge\njobs 3 ${now() - 60}\njobs 4 ${now()}\njobs 5 1\njobs 6 ${now() + 9000}\n# EOF\n`
  const { status, body } = await send({ text })
  const [first_at, last_at] = [now() - 60, now()].map((seconds) => new Date(seconds * 1000).toISOString())
  const counted = { samples: 2, series: 1, too_old: 1, too_new: 1 }
  expect([status, body]).toEqual([200, { ...counted, first_at, last_at, slos: 1 }])
  expect(await values('jobs')).toEqual(['3', '4'])
  expect((await nines.call('GET', '/api/v1/slos/1/backfill')).body.status).toBe('waiting')
})

test('parts follow each other, and the last one alone has the end', async () => {
  const part = async (text: string, first_line: number, is_last: boolean) =>
    (await send({ text, first_line, is_last })).body
  expect(await part(`jobs 1 ${now() - 60}\n`, 1, false)).toMatchObject({ samples: 1, slos: null })
  expect(await part(`jobs 2 ${now() - 30}`, 2, false)).toMatchObject({ samples: 1, slos: null })
  expect(await part(`jobs 3 ${now()}\n# EOF\n`, 3, true)).toMatchObject({ samples: 1, slos: 0 })
  expect(await values('jobs')).toEqual(['1', '2', '3'])
  const { body: audit } = await nines.call('GET', '/api/v1/audit-log?event=samples_imported')
  expect(audit.entries).toHaveLength(1) // for the first part
})

test('a bad line is named by its number in the file; what is before it stays', async () => {
  const { status, body } = await send({ text: `jobs 1 ${now()}\nno sample\n`, first_line: 1000, is_last: false })
  expect(status).toBe(400)
  const message = 'line 1001: expected a space and a number, found " sample"; 1 sample before it is imported'
  expect(body).toEqual({
    success: false,
    error: 'Invalid exposition',
    details: `text: ${message}`,
    problems: [
      { field: 'text', message, code: 'invalid', params: {}, got: `"jobs 1 ${now()}\\u000ano sample\\u000a"` },
    ],
  })
  expect(await values('jobs')).toEqual(['1'])
})

test('a file that is cut is said to be', async () => {
  const { status, body } = await send({ text: `jobs 1 ${now()}\n` })
  expect([status, body.details]).toEqual([400, expect.stringContaining('# EOF')])
})

test('more series than the organization may have are refused, whatever comes first', async () => {
  const many = Array.from({ length: 500 }, (_, at) => `jobs{l="${at}"} 1 ${now()}\n`).join('')
  const { status, body } = await send({ text: `${many}# EOF\n` })
  expect([status, body.error]).toEqual([409, 'Quota exceeded'])
  const { body: storage } = await nines.call('GET', `${path}/storage`)
  expect(storage.series).toEqual({ used: 400, limit: 400 })
})

test('samples are imported by administrators, into their own organization', async () => {
  const text = `jobs 1 ${now()}\n# EOF\n`
  expect((await send({ text }, await addUser(nines, 'grace', 'member'))).status).toBe(403)
  const other = await nines.join('eve')
  expect((await send({ text }, other)).status).toBe(200)
  expect(await values('jobs')).toEqual([])
})

test('storage says what is used, the oldest sample and what comes; the file is for the first organization alone', async () => {
  await send({ text: `jobs 1 ${now() - 3600}\n# EOF\n` })
  for (let second = 0; second < 31; second += 1) {
    nines.clock.advance(1000)
    nines.app.collector.tick()
    await nines.app.collector.drain()
  }
  const { body } = await nines.call('GET', `${path}/storage`)
  expect(body).toMatchObject({
    retention_days: 100,
    bytes: { limit: 4_294_967_296 },
    oldest_at: new Date(nines.clock.now() - 3631 * 1000).toISOString(),
    import_bytes: 1_048_576,
    file: { limit: 4_294_967_296, used: expect.any(Number), disk_free: expect.any(Number) },
  })
  expect(body.samples_per_day).toBeGreaterThan(2880) // nines:metrics is stored twice a minute
  expect(body.bytes_per_day).toBe(Math.round(body.samples_per_day * 1.6))
  const other = await nines.call('GET', `${path}/storage`, undefined, { token: await nines.join('eve') })
  expect(other.body).toMatchObject({ series: { used: 0 }, oldest_at: null, samples_per_day: 0, file: null })
})
