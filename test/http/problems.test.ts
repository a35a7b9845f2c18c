import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { AppError, invalid, invalidAll, readAll } from '../../src/errors.ts'
import type { TestApp } from '../support/app.ts'
import { joinedApp } from '../support/reused-app.ts'

let nines: TestApp
beforeAll(async () => {
  nines = await joinedApp()
})
afterAll(() => nines.close())

const slo = { name: 'a', target: 99, time_window: '30d', metric_type: 'availability', metric_query: 'up' }
const post = async (path: string, body: unknown) => {
  const { status, body: answer } = await nines.call('POST', `/api/v1/${path}`, body)
  expect([status, answer.success, answer.error]).toEqual([400, false, 'Invalid request'])
  expect(answer.details).toBe(
    answer.problems
      .map(({ field = '', message = '', got }: Record<string, string>) => {
        const isNamed = got === undefined || /[,;] not ["“\d]/.test(message) // by the rule itself
        return `${field}: ${message}${isNamed ? '' : `, got ${got}`}`
      })
      .join('; '),
  )
  return answer.problems.map(({ field }: { field: string }) => field)
}

test('one problem is in details, and a field with its message and what was sent', async () => {
  const { body } = await nines.call('POST', '/api/v1/slos', { ...slo, target: 120 })
  const message = 'must be a number above 0 and at most 100, in percent'
  const problems = [{ field: 'target', message, code: 'too_large', params: { max: 100 }, got: '120' }]
  expect(body).toEqual({ success: false, error: 'Invalid request', details: `target: ${message}, got 120`, problems })
})

describe('the code and params of a problem say which rule is broken:', () => {
  const problemOf = async (path: string, body: unknown, method = 'POST') => {
    const answer = (await nines.call(method, `/api/v1/${path}`, body)).body
    const { code, params } = answer.problems[0]
    return [code, params]
  }

  test.each<[sent: object, code: string, params?: object]>([
    [{ name: undefined }, 'required'],
    [{ name: 7 }, 'wrong_type', { expected: 'string' }],
    [{ name: '' }, 'too_short', { min_characters: 1 }],
    [{ name: 'a'.repeat(201) }, 'too_long', { max_characters: 200 }],
    [{ name: 'a\u0000b' }, 'wrong_format'],
    [{ target: 0 }, 'too_small', { above: 0 }],
    [{ target: 100.1 }, 'too_large', { max: 100 }],
    [{ target: '99' }, 'wrong_type', { expected: 'number' }],
    [{ team_id: 1.5 }, 'not_whole'],
    [{ metric_type: 'x' }, 'not_allowed', { allowed: ['availability', 'latency', 'throughput'] }],
    [{ threshold: 'x' }, 'wrong_type', { expected: 'number' }],
    [{ threshold_op: 'x' }, 'not_allowed', { allowed: ['lte', 'lt', 'gte', 'gt'] }],
    [{ description: 'a'.repeat(4001) }, 'too_long', { max_characters: 4000 }],
    [{ team_id: 77 }, 'unknown'],
    [{ metric_query: null }, 'required'],
    [{ good_query: 'a', bad_query: 'b', total_query: 'c' }, 'exclusive'],
  ])('case %#', async (sent, code, params = {}) => {
    expect(await problemOf('slos', { ...slo, ...sent })).toEqual([code, params])
  })

  test('of lists, query strings, paths and conflicts', async () => {
    const channel = { name: 'a', channel_type: 'webhook', configuration: { webhook_url: 'http://a.example/' } }
    const queries = Array.from({ length: 101 }, () => ({ query: 'up', slo_id: 0, time_window: '1h' }))
    expect(await problemOf('cache/warmup', { queries })).toEqual(['too_many', { max_items: 100 }])
    expect(await problemOf('notifications/channels', { ...channel, max_retries: 101 })).toEqual([
      'too_large',
      { max: 100 },
    ])
    expect(await problemOf('slos?page_size=101', undefined, 'GET')).toEqual(['too_large', { max: 100 }])
    const client = { name: 'a', redirect_uris: [] }
    expect(await problemOf('oauth/clients', client)).toEqual(['too_few', { min_items: 1 }])
    expect(await problemOf('slos?page=x', undefined, 'GET')).toEqual(['wrong_format', {}])
    expect(await problemOf('slos?pag=1', undefined, 'GET')).toEqual(['unknown_parameter', { nearest: 'page' }])
    expect(await problemOf('slos/x', undefined, 'GET')).toEqual(['wrong_format', {}])
    await nines.call('POST', '/api/v1/organization/teams', { name: 'twice' })
    expect(await problemOf('organization/teams', { name: 'Twice' })).toEqual(['in_use', {}])
    expect(await problemOf('slos', undefined)).toEqual(['wrong_type', { expected: 'object' }])
  })
})

describe('all problems are in one response:', () => {
  test('of a body', async () => {
    expect(await post('slos', { name: '', target: 0, time_window: '2x', team_id: 'x', threshold: 'y' })).toEqual(
      expect.arrayContaining(['name', 'target', 'time_window', 'metric_type', 'team_id', 'threshold']),
    )
  })

  test('of an empty body, each required field, once', async () => {
    expect(await post('slos', {})).toEqual(['name', 'target', 'time_window', 'metric_type', 'metric_query'])
    expect(await post('auth/register', {})).toEqual(['email', 'name', 'password'])
  })

  test('inside an object that may be null', async () => {
    const auth = { basic: { username: 'a:b', password: '' }, headers: { 'X-Tenant': 7 } }
    expect(await post('tsdb/sources', { name: 'a', api_url: 'ftp://a', auth })).toEqual(
      expect.arrayContaining(['api_url', 'auth.basic.username', 'auth.basic.password', 'auth.headers.X-Tenant']),
    )
  })

  test('of a path, a query string and a body at once', async () => {
    const { body } = await nines.call('PUT', '/api/v1/slos/x?pages=1', { target: 0, name: '' })
    expect(body.problems.map(({ field }: { field: string }) => field)).toEqual(['id', 'pages', 'name', 'target'])
  })

  test('of what only the whole of an SLO shows', async () => {
    const wrong = {
      ...slo,
      good_query: 'a',
      bad_query: 'b',
      threshold: 1,
      team_id: 77,
      source_id: 77,
      labels: { '1': 'a', a: '' },
    }
    const fields = ['labels', 'labels.a', 'bad_query', 'total_query', 'threshold', 'threshold', 'team_id', 'source_id']
    expect(await post('slos', wrong)).toEqual(fields)
    expect(await post('slos/preview', wrong)).toEqual(fields)
    const { body } = await nines.call('POST', '/api/v1/slos', slo)
    const { body: answer } = await nines.call('PUT', `/api/v1/slos/${body.id}`, { team_id: 77, labels: { a: '' } })
    expect(answer.problems.map(({ field }: { field: string }) => field)).toEqual(['labels.a', 'team_id'])
    expect((await nines.call('GET', `/api/v1/slos/${body.id}`)).body.labels).toEqual({})
  })

  test('of the fields and of what only the whole of an SLO shows', async () => {
    const wrong = { ...slo, target: 120, labels: { '1': 'a' }, good_query: 5, bad_query: 'up' }
    const fields = ['target', 'good_query', 'labels', 'bad_query', 'total_query']
    expect(await post('slos', wrong)).toEqual(fields)
    expect(await post('slos/preview', wrong)).toEqual(fields)
    const { body } = await nines.call('POST', '/api/v1/slos', { ...slo, name: 'b' })
    const { body: answer } = await nines.call('PUT', `/api/v1/slos/${body.id}`, { target: 120, labels: { a: '' } })
    expect(answer.problems.map(({ field }: { field: string }) => field)).toEqual(['target', 'labels.a'])
  })

  test('of each query that is no PromQL, beside others', async () => {
    const wrong = { good_query: 'sum(', total_query: 'sum((', labels: { a: '' }, team_id: 77 }
    const fields = ['labels.a', 'good_query', 'total_query', 'team_id']
    expect(await post('slos', { ...slo, metric_query: null, ...wrong })).toEqual(fields)
    const { body } = await nines.call('POST', '/api/v1/slos', { ...slo, name: 'c' })
    const { body: answer } = await nines.call('PUT', `/api/v1/slos/${body.id}`, wrong)
    expect(answer.problems.map(({ field }: { field: string }) => field)).toEqual(fields)
  })

  test.each([
    [
      'a probe',
      'embedded/probes',
      {
        name: 'p',
        type: 'http',
        target: 'x',
        interval_seconds: 10,
        timeout_seconds: 20,
        labels: { '1': 'a', b: '' },
        settings: { method: 'GET', headers: { host: 'a' }, body: 'x', body_matches: '(' },
      },
      ['target', 'settings.headers', 'settings.body', 'settings.body_matches', 'timeout_seconds', 'labels', 'labels.b'],
    ],
    ['a probe of no type', 'embedded/probes', { name: 'p', type: 'grpc', target: 'x', labels: 5 }, ['type', 'labels']],
    [
      'a scrape target',
      'embedded/targets',
      {
        name: 't',
        url: 'http://a.example',
        interval_seconds: 10,
        timeout_seconds: 20,
        auth: { headers: { 'content-type': 'a' } },
      },
      ['auth.headers', 'timeout_seconds'],
    ],
    [
      'a channel',
      'notifications/channels',
      { name: 'c', channel_type: 'webhook', configuration: { webhook_url: 'x', headers: { 'content-type': 'x' } } },
      ['configuration.webhook_url', 'configuration.headers'],
    ],
    [
      'a mail channel',
      'notifications/channels',
      { name: 'c', channel_type: 'email', configuration: { recipients: ['x'], from: 'y', smtp_server: 7 } },
      ['configuration.recipients', 'configuration.from', 'configuration.smtp_server'],
    ],
    [
      'a channel of no type',
      'notifications/channels',
      { name: 'c', channel_type: 'x', configuration: 5 },
      ['configuration', 'channel_type'],
    ],
    [
      'a rule',
      'notifications/rules',
      {
        channel_id: 1,
        alert_type: 'recovery',
        severity: 'page',
        subject: '{{x}}',
        message: '{{y}}',
        selector: { x: 1 },
        notify: true,
      },
      ['selector', 'subject', 'message', 'severity', 'notify'],
    ],
  ])('of %s', async (_, path, wrong, fields) => {
    expect(await post(path, wrong)).toEqual(fields)
  })

  test('of burn-rate tiers and thresholds', async () => {
    const { body } = await nines.call('POST', '/api/v1/slos', slo)
    const tier = { severity: 'page', long_window: '1h', short_window: '5m', factor: 2 }
    const { body: answer } = await nines.call('PUT', `/api/v1/slos/${body.id}/alerting`, {
      burn_rate_tiers: [{ ...tier, short_window: '2h' }, tier, tier],
      budget_thresholds: [10, 10],
    })
    const fields = answer.problems.map(({ field }: { field: string }) => field)
    expect(fields).toEqual(['burn_rate_tiers.0.short_window', 'burn_rate_tiers.2', 'budget_thresholds'])
  })

  test('of a silence', async () => {
    expect(await post('notifications/silences', { comment: 'a', starts_at: 'x' })).toEqual(['slo_id', 'starts_at'])
  })
})

describe('the number of problems is bounded', () => {
  test('in number', async () => {
    const queries = Array.from({ length: 100 }, () => ({}))
    const { status, body: answer, text } = await nines.call('POST', '/api/v1/cache/warmup', { queries })
    expect([status, answer.problems.length]).toEqual([400, 20])
    expect(answer.details).toEndWith('; and more')
    expect(text.length).toBeLessThan(10_000)
  })

  test('also where a body has very many wrong keys', async () => {
    const names = Array.from({ length: 19_000 }, (_, at) => [`x${at}`, 7])
    const headers = Object.fromEntries(names)
    const { status, text } = await nines.call('POST', '/api/v1/tsdb/sources', { name: 7, auth: { headers } })
    expect(status).toBe(400)
    expect(text.length).toBeLessThan(10_000)
  })

  test('and in length', async () => {
    const body = { name: 'a', api_url: 'http://a.example', auth: { headers: { ['x'.repeat(500_000)]: 7 } } }
    const { status, text } = await nines.call('POST', '/api/v1/tsdb/sources', body)
    expect(status).toBe(400)
    expect(text.length).toBeLessThan(5000)
  })
})

test('reads of several fields give their results, or the problems of all that are wrong', () => {
  expect(
    readAll(
      () => 1,
      () => 'a',
    ),
  ).toEqual([1, 'a'])
  const wrong = () =>
    readAll(
      () => 1,
      () => {
        throw invalid('a', 'must be b')
      },
      () => {
        throw invalidAll([{ field: 'c', message: 'must be d' }])
      },
    )
  expect(wrong).toThrow(expect.objectContaining({ kind: 'invalid', details: 'a: must be b; c: must be d' }))
  expect(() =>
    readAll(
      () => {
        throw new AppError('conflict', 'taken')
      },
      () => {
        throw invalid('a', 'b')
      },
    ),
  ).toThrow('taken')
})

test('of a list that is wrong as a whole the items are not listed too', async () => {
  const { body } = await nines.call('POST', '/api/v1/notifications/channels', {
    name: 'a',
    channel_type: 'webhook',
    configuration: { webhook_url: 'x' },
    max_retries: [1, 2],
  })
  expect(body.problems.map(({ field }: { field: string }) => field)).toEqual(['max_retries'])
})
