import { describe, expect, test } from 'bun:test'
import { checkout, sloCalls } from '../support/slo-calls.ts'
import { sloWindowText } from '../../src/slos/arithmetic/window-names.ts'
import { rulesOf } from '../support/rules-of.ts'

const on = sloCalls()
const names = {
  team_name: 'Default',
  policy_in_force: null,
  source_name: null,
  created_by_name: 'ada',
  silence: null,
  picks: null,
  composites: [],
}
const countSlos = async () => (await on.nines.app.db.read.selectFrom('slos').select('id').execute()).length

describe('creation', () => {
  test('answers with the SLO as it is stored, created by the caller', async () => {
    const { status, body } = await on.create()
    const now = new Date(on.nines.clock.now()).toISOString()
    expect(status).toBe(201)
    expect(body).toEqual({
      ...checkout,
      id: expect.any(Number),
      runbook_url: '',
      owner: '',
      budget_policy: [],
      team_id: 1,
      created_by: 1,
      active: true,
      paused: false,
      paused_at: null,
      time_zone: null,
      created_at: now,
      updated_at: now,
      source_id: null,
      good_query: null,
      bad_query: null,
      total_query: null,
      threshold: null,
      threshold_op: null,
      window_method: 'auto',
      query_unit: 'auto',
      composite: null,
      service_hours: null,
      labels: {},
      revision: 1,
      measured_since: now,
      status: 'unknown',
      warnings: [],
    })
    const { status: _status, warnings: _warnings, ...stored } = body
    expect((await on.read(body.id)).body).toEqual({ ...stored, ...names })
  })

  test('of a calendar period has its time zone, or else that of the organization, until its window moves with time', async () => {
    const zoneOf = async (id: number) => (await on.read(id)).body.time_zone
    const { body: ofUtc } = await on.create({ time_window: 'month' })
    expect(await zoneOf(ofUtc.id)).toBe('UTC')
    await on.nines.call('PUT', '/api/v1/organization', { time_zone: 'Asia/Kolkata' })
    expect(await zoneOf(ofUtc.id)).toBe('UTC')
    const { body } = await on.create({ time_window: 'quarter', time_zone: 'europe/zurich' })
    expect(await zoneOf(body.id)).toBe('Europe/Zurich')
    await on.change(body.id, { time_window: 'year' })
    expect(await zoneOf(body.id)).toBe('Europe/Zurich')
    await on.change(body.id, { time_window: '7d' })
    expect(await zoneOf(body.id)).toBeNull()
    await on.change(body.id, { time_window: 'week' })
    expect(await zoneOf(body.id)).toBe('Asia/Kolkata')
    await on.change(body.id, { time_zone: 'UTC' })
    expect(await zoneOf(body.id)).toBe('UTC')
  })

  test('has no time zone if its window moves with time', async () => {
    const details = 'time_zone: needs a calendar window (week, month, quarter or year); time_window is 30d'
    const created = await on.create({ time_zone: 'UTC' })
    expect([created.status, rulesOf(created.body)]).toEqual([400, details])
    const { body } = await on.create()
    const changed = await on.change(body.id, { time_zone: 'UTC' })
    expect([changed.status, rulesOf(changed.body)]).toEqual([400, details])
  })

  test('has a runbook and an owner, which a change takes away and the history records', async () => {
    const runbook_url = 'https://wiki.example/checkout?page=1#steps'
    const { body } = await on.create({ runbook_url: ` ${runbook_url} `, owner: 'Team Shop' })
    expect((await on.read(body.id)).body).toMatchObject({ runbook_url, owner: 'Team Shop', revision: 1 })
    await on.change(body.id, { runbook_url: '', owner: '' })
    expect((await on.read(body.id)).body).toMatchObject({ runbook_url: '', owner: '', revision: 1 })
    const { body: history } = await on.nines.call('GET', `/api/v1/slos/${body.id}/changes`)
    expect(history.changes[0].fields).toEqual([
      { field: 'runbook_url', before: runbook_url, after: '' },
      { field: 'owner', before: 'Team Shop', after: '' },
    ])
  })

  test.each(['ftp://wiki.example', 'javascript:alert(1)', 'wiki', 'https://', `https://x.example/${'x'.repeat(2000)}`])(
    'refuses the runbook %s',
    async (runbook_url) => {
      const { status, body } = await on.create({ runbook_url })
      expect([status, rulesOf(body)]).toEqual([
        400,
        'runbook_url: must be an http(s) URL of at most 2000 characters without user name, password and invisible characters, or empty',
      ])
    },
  )

  test('trims text, keeps line breaks of queries, ignores unknown fields', async () => {
    const { body } = await on.create({
      name: '  Checkout ',
      metric_query: 'up\n\t/ up\n',
      id: 4711,
      created_by: 99,
      organization_id: 2,
    })
    expect(body).toMatchObject({ name: 'Checkout', metric_query: 'up\n\t/ up', created_by: 1 })
    expect(body.id).not.toBe(4711)
    expect((await on.read(body.id, on.stranger)).status).toBe(404)
  })

  test('takes a pair of counting queries in place of metric_query, and shows what it amounts to', async () => {
    const pair = { metric_query: undefined, bad_query: 'sum(rate(bad[5m]))', total_query: 'sum(rate(all[5m]))' }
    const { status, body } = await on.create(pair)
    expect(status).toBe(201)
    expect(body.metric_query).toBe('1 - (sum(rate(bad[5m]))) / (sum(rate(all[5m])))')
  })

  test('warns of a query that is no ratio, and does not refuse it', async () => {
    const { status, body } = await on.create({
      metric_type: 'latency',
      metric_query: 'histogram_quantile(0.95, sum by (le) (rate(x_bucket[5m])))',
    })
    expect(status).toBe(201)
    expect(body.warnings.join(' ')).toContain('threshold')
  })

  test.each([
    [
      'no name',
      { name: undefined },
      'name: is required: 1 to 200 characters, one of them visible, no control characters',
    ],
    ['a blank name', { name: ' \t ' }, 'name: must be 1 to 200 characters, one of them visible, no control characters'],
    [
      'a name of nothing to see',
      { name: '\u200b\u2060\u3164' },
      'name: must be 1 to 200 characters, one of them visible, no control characters',
    ],
    [
      'a name of two lines',
      { name: 'a\nb' },
      'name: must be 1 to 200 characters, one of them visible, no control characters',
    ],
    [
      'a long name',
      { name: 'x'.repeat(201) },
      'name: must be 1 to 200 characters, one of them visible, no control characters',
    ],
    ['a number as name', { name: 7 }, 'name: must be 1 to 200 characters, one of them visible, no control characters'],
    [
      'a broken surrogate',
      { name: 'a\ud800' },
      'name: must be 1 to 200 characters, one of them visible, no control characters',
    ],
    [
      'a long description',
      { description: 'x'.repeat(4001) },
      'description: must be 0 to 4000 characters, no control characters but line breaks',
    ],
    [
      'a NUL in a description',
      { description: 'a\u0000' },
      'description: must be 0 to 4000 characters, no control characters but line breaks',
    ],
    ['no target', { target: undefined }, 'target: is required: a number above 0 and at most 100, in percent'],
    ['a target of 0', { target: 0 }, 'target: must be a number above 0 and at most 100, in percent'],
    ['a target over 100', { target: 100.1 }, 'target: must be a number above 0 and at most 100, in percent'],
    ['a target in quotes', { target: '99.9' }, 'target: must be a number above 0 and at most 100, in percent'],
    ['a window of minutes', { time_window: '90m' }, `time_window: must be ${sloWindowText}`],
    ['a window that is too long', { time_window: '367d' }, `time_window: must be ${sloWindowText}`],
    ['a window in two units', { time_window: '1d12h' }, `time_window: must be ${sloWindowText}`],
    ['no window', { time_window: undefined }, `time_window: is required: ${sloWindowText}`],
    [
      'another metric type',
      { metric_type: 'saturation' },
      'metric_type: must be one of availability, latency, throughput',
    ],
    [
      'no query',
      { metric_query: undefined },
      'metric_query: is required, or total_query with good_query or bad_query, or composite',
    ],
    [
      'a blank query',
      { metric_query: ' ' },
      'metric_query: must be 1 to 10000 characters, no control characters but line breaks',
    ],
    [
      'a long query',
      { metric_query: 'x'.repeat(10_001) },
      'metric_query: must be 1 to 10000 characters, no control characters but line breaks',
    ],
    ['a good query alone', { good_query: 'x' }, 'total_query: is required with good_query or bad_query'],
    ['a total query alone', { total_query: 'x' }, 'total_query: needs good_query or bad_query'],
    [
      'both a good and a bad query',
      { good_query: 'x', bad_query: 'y', total_query: 'z' },
      'bad_query: cannot be sent with good_query: send one of the two',
    ],
    [
      'a threshold without operator',
      { threshold: 1 },
      'threshold: must be given as threshold and threshold_op together',
    ],
    [
      'an operator without threshold',
      { threshold_op: 'lt' },
      'threshold: must be given as threshold and threshold_op together',
    ],
    ['another operator', { threshold: 1, threshold_op: '<' }, 'threshold_op: must be one of lte, lt, gte, gt'],
    [
      'a threshold of a pair',
      { threshold: 1, threshold_op: 'lt', good_query: 'x', total_query: 'z' },
      'threshold: cannot be sent with good_query or bad_query',
    ],
    ['a team of nobody', { team_id: 2 }, 'team_id: must be a team of your organization'],
    ['a fractional team', { team_id: 1.5 }, 'team_id: must be the team id, a whole number from 1'],
    ['a source of nobody', { source_id: 1 }, 'source_id: must be a source of your organization'],
    ['another window method', { window_method: 'guess' }, 'window_method: must be one of auto, widen, mean'],
    ['another unit', { query_unit: 'permille' }, 'query_unit: must be one of auto, ratio, percent'],
  ])('refuses %s, and stores nothing', async (_, wrong, details) => {
    const before = await countSlos()
    const { status, body } = await on.create(wrong)
    expect([status, body, rulesOf(body)]).toEqual([
      400,
      { success: false, error: 'Invalid request', details: expect.any(String), problems: expect.any(Array) },
      details,
    ])
    expect(await countSlos()).toBe(before)
  })

  test('refuses a number no double can hold', async () => {
    const text = JSON.stringify({ ...checkout, target: 1 }).replace('"target":1', '"target":1e999')
    expect((await on.nines.call('POST', '/api/v1/slos', text)).status).toBe(400)
  })
})

describe('an update', () => {
  test('changes the given fields only', async () => {
    const { body: before } = await on.create()
    on.nines.clock.advance(60_000)
    const { status, body } = await on.change(before.id, { target: 99, description: '' })
    expect([status, body]).toEqual([200, { message: 'SLO updated', warnings: [] }])
    const { status: _status, warnings: _warnings, ...stored } = before
    const updated_at = new Date(on.nines.clock.now()).toISOString()
    expect((await on.read(before.id)).body).toEqual({
      ...stored,
      ...names,
      target: 99,
      description: '',
      updated_at,
    })
  })

  test('moves from one way of measuring to another, and clears with null', async () => {
    const { body } = await on.create()
    const pair = { good_query: 'sum(rate(ok[5m]))', total_query: 'sum(rate(all[5m]))', metric_query: null }
    expect((await on.change(body.id, pair)).status).toBe(200)
    expect(rulesOf((await on.change(body.id, { good_query: null })).body)).toBe(
      'total_query: needs good_query or bad_query',
    )
    const back = { good_query: null, total_query: null, metric_query: 'up', threshold: 1, threshold_op: 'gte' }
    expect((await on.change(body.id, back)).status).toBe(200)
    expect((await on.read(body.id)).body).toMatchObject(back)
  })

  test('forgets the inferred unit when the query changes, and only then', async () => {
    const { body } = await on.create()
    const inferred = async () => {
      const query = on.nines.app.db.read.selectFrom('slos').select('inferred_unit').where('id', '=', body.id)
      return (await query.executeTakeFirstOrThrow()).inferred_unit
    }
    await on.nines.app.db.write
      .updateTable('slos')
      .set({ inferred_unit: 'percent' })
      .where('id', '=', body.id)
      .execute()
    await on.change(body.id, { target: 98, metric_query: checkout.metric_query })
    expect(await inferred()).toBe('percent')
    await on.change(body.id, { metric_query: 'up' })
    expect(await inferred()).toBeNull()
  })

  test.each([
    ['nothing', {}, 'body: must have at least one known field of an SLO'],
    ['unknown fields only', { id: 3, created_by: 4 }, 'body: must have at least one known field of an SLO'],
    ['a null name', { name: null }, 'name: must be 1 to 200 characters, one of them visible, no control characters'],
    ['a target out of range', { target: -1 }, 'target: must be a number above 0 and at most 100, in percent'],
    ['activity that is no boolean', { active: 1 }, 'active: must be true or false'],
    ['a team of nobody', { team_id: 7 }, 'team_id: must be a team of your organization'],
  ])('of %s is refused without effect', async (_, wrong, details) => {
    const { body: before } = await on.create()
    const { status, body } = await on.change(before.id, wrong)
    expect([status, body, rulesOf(body)]).toEqual([
      400,
      { success: false, error: 'Invalid request', details: expect.any(String), problems: expect.any(Array) },
      details,
    ])
    expect((await on.read(before.id)).body.updated_at).toBe(before.updated_at)
  })

  test('of different fields at the same time loses none', async () => {
    const { body } = await on.create()
    await Promise.all([
      on.change(body.id, { name: 'Renamed' }),
      on.change(body.id, { target: 95 }),
      on.change(body.id, { description: 'Rewritten' }),
    ])
    expect((await on.read(body.id)).body).toMatchObject({ name: 'Renamed', target: 95, description: 'Rewritten' })
  })
})
