import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type Answer, type TestApp, testApp } from '../../support/app.ts'
import { joinedApp } from '../../support/reused-app.ts'
import { rulesOf } from '../../support/rules-of.ts'

let nines: TestApp
beforeEach(async () => {
  nines = await joinedApp()
})
afterEach(() => nines.close())

const targets = '/api/v1/embedded/targets'
const url = 'http://node.example:9100/metrics'
const create = (change: object = {}, token?: string) =>
  nines.call('POST', targets, { name: 'node', url, ...change }, token ? { token } : {})
const read = async () => (await nines.call('GET', `${targets}/1`)).body
const change = (body: unknown) => nines.call('PUT', `${targets}/1`, body)
const failure = ({ status, body }: Answer) => [status, body.error, rulesOf(body)]
const invalid = (details: string) => [400, 'Invalid request', details]

describe('a target', () => {
  test('is created, read, listed, changed and deleted', async () => {
    const labels = { rack: 'b', instance: 'cellar' }
    const { status, body } = await create({ name: ' node ', url: ` ${url}?a=1 `, labels })
    const now = new Date(nines.clock.now()).toISOString()
    const stored = {
      id: 1,
      organization_id: 1,
      name: 'node',
      url: `${url}?a=1`,
      interval_seconds: 30,
      timeout_seconds: 10,
      labels,
      honor_labels: false,
      auth: null,
      is_active: true,
      health: {
        status: 'unknown',
        last_at: null,
        last_duration_ms: null,
        last_error: null,
        samples: 0,
        next_at: expect.any(String),
        recent: [],
        findings: null,
        down_since: null,
      },
      created_at: now,
      updated_at: now,
    }
    expect([status, body]).toEqual([201, stored])
    expect(await read()).toEqual(stored)
    expect((await nines.call('GET', targets)).body).toEqual({ targets: [stored], total: 1 })
    nines.clock.advance(1000)
    const changed = {
      ...stored,
      honor_labels: true,
      labels: {},
      is_active: false,
      health: { ...stored.health, next_at: null },
      updated_at: new Date(nines.clock.now()).toISOString(),
    }
    const answer = await change({ honor_labels: true, labels: {}, is_active: false, id: 7 })
    expect([answer.status, answer.body]).toEqual([200, changed])
    expect(await read()).toEqual(changed)
    const removed = await nines.call('DELETE', `${targets}/1`)
    expect([removed.status, removed.body]).toEqual([200, { message: 'Target deleted' }])
    expect(failure(await nines.call('GET', `${targets}/1`))).toEqual([404, 'Target not found', undefined])
  })

  test('has a name of its own in its organization, and only there', async () => {
    await create()
    await create({ name: 'other' })
    const taken = [409, 'Target name already in use', 'name: must be a name that is not in use']
    expect(failure(await create())).toEqual(taken)
    expect(failure(await change({ name: 'other' }))).toEqual(taken)
    expect((await create({}, await nines.join('eve'))).status).toBe(201)
  })

  test('is one of at most 500, as long as QUOTA_TARGETS says no other', async () => {
    const { db, clock } = nines.app
    await create()
    const row = await db.read.selectFrom('scrape_targets').selectAll().executeTakeFirstOrThrow()
    for (let id = 2; id <= 500; id += 1) {
      await db.write
        .insertInto('scrape_targets')
        .values({ ...row, id, name: `n${id}`, created_at: clock.now() })
        .execute()
    }
    const details = 'An organization may have at most 500 scrape targets (QUOTA_TARGETS)'
    expect(failure(await create({ name: 'more' }))).toEqual([409, 'Quota exceeded', details])
    await nines.call('DELETE', `${targets}/2`)
    expect((await create({ name: 'more' })).status).toBe(201)
  })

  test.each([
    ['javascript:alert(1)'],
    ['ftp://a.example'],
    ['http://ada:s3cret@a.example/metrics'],
    ['http://a.example/metrics#top'],
    ['http://'],
    [`${url}/`.padEnd(2001, 'x')],
    ['nines:'],
    ['nines:/metrics'],
    [undefined],
  ])('is not at %.40s', async (wrong) => {
    const rule = wrong === undefined ? 'is required:' : 'must be'
    const details = `url: ${rule} an http(s) URL without credentials and fragment, or nines:metrics`
    expect(failure(await create({ url: wrong }))).toEqual(invalid(details))
  })

  test.each<[object, string]>([
    [{ interval_seconds: 4 }, 'interval_seconds: must be a whole number from 5 to 3600'],
    [{ interval_seconds: 7.5 }, 'interval_seconds: must be a whole number from 5 to 3600'],
    [{ timeout_seconds: 0.05 }, 'timeout_seconds: must be a number from 0.1 to 120, at most interval_seconds'],
    [{ timeout_seconds: 31 }, 'timeout_seconds: must be at most interval_seconds, which is 30'],
    [{ labels: 'a' }, 'labels: must be a JSON object of texts'],
    [{ labels: { a: 1 } }, 'labels.a: must be 1 to 200 characters, no control characters'],
    [{ labels: { a: 'x'.repeat(201) } }, 'labels.a: must be 1 to 200 characters, no control characters'],
    [
      { labels: Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`l${n}`, 'x'])) },
      'labels: must have at most 20 entries, not 21',
    ],
    [{ honor_labels: 'yes' }, 'honor_labels: must be true or false'],
    [
      { auth: { basic: { username: 'a', password: 'b' }, bearer: { token: 't' } } },
      'auth: must be basic or bearer, not both',
    ],
  ])('is refused with %j', async (wrong, details) => {
    expect(failure(await create(wrong))).toEqual(invalid(details))
    await create()
    const before = await read()
    expect(failure(await change(wrong))).toEqual(invalid(details))
    expect(await read()).toEqual(before)
  })

  test.each(['__name__', '__a', '0a', 'a-b', 'é', ''])('has no label %j', async (name) => {
    const { status, body } = await create({ labels: { [name]: 'x' } })
    expect([status, body.details]).toEqual([400, expect.stringMatching(/^labels: must be names of 1 to 100 letters/)])
  })

  test('waits no longer than its interval, and as long as its timeout where that fits', async () => {
    expect((await create({ interval_seconds: 5 })).body.timeout_seconds).toBe(5)
    expect((await change({ interval_seconds: 60 })).body.timeout_seconds).toBe(5)
    expect((await change({ timeout_seconds: 0.5 })).body.timeout_seconds).toBe(0.5)
    expect((await change({ timeout_seconds: 20, interval_seconds: 20 })).body.timeout_seconds).toBe(20)
    expect((await change({ interval_seconds: 10 })).body.timeout_seconds).toBe(10)
  })

  test('is not changed by nothing', async () => {
    await create()
    expect(failure(await change({ nope: 1 }))).toEqual(invalid('body: must have at least one known field of a target'))
  })
})

describe('what nines says of itself', () => {
  test('is for the first organization only', async () => {
    expect((await create({ url: 'nines:metrics' })).status).toBe(201)
    const eve = await nines.join('eve')
    const details = 'url: must be an http(s) URL: what nines says of itself is for the first organization'
    expect(failure(await create({ url: 'nines:metrics' }, eve))).toEqual(invalid(details))
    const { body } = await create({}, eve)
    const moved = await nines.call('PUT', `${targets}/${body.id}`, { url: 'nines:metrics' }, { token: eve })
    expect(failure(moved)).toEqual(invalid(details))
  })

  test('has the names that are known', async () => {
    const details = 'url: must be an http(s) URL, or nines:metrics'
    expect(failure(await create({ url: 'nines:secrets' }))).toEqual(invalid(details))
  })
})

describe('the first organization', () => {
  const asNew = async (env: Record<string, string>) => {
    const fresh = await testApp({ env })
    const [ada, eve] = [await fresh.join('ada'), await fresh.join('eve')]
    const listed = async (token: string) => (await fresh.call('GET', targets, undefined, { token })).body.targets
    const both = [await listed(ada), await listed(eve)]
    await fresh.close()
    return both
  }

  test('measures nines, where its source is the embedded one', async () => {
    const [first, second] = await asNew({ SOURCE_URL: 'embedded' })
    expect(first).toMatchObject([{ name: 'nines', url: 'nines:metrics', interval_seconds: 30, is_active: true }])
    expect(second).toEqual([])
  })

  test('starts with nothing where it is another', async () => {
    expect(await asNew({ SOURCE_URL: 'http://prometheus.example' })).toEqual([[], []])
  })
})
