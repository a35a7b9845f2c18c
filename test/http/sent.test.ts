import { describe, expect, test } from 'bun:test'
import { AppError, invalid, invalidAll, type Problem } from '../../src/errors.ts'
import { describeValue, keepSent, type Sent, withSent } from '../../src/http/checks/sent.ts'

describe('what was sent is told in a few words:', () => {
  test.each<[unknown, string]>([
    [null, 'null'],
    [false, 'false'],
    [-0.5, '-0.5'],
    [1e300, '1e+300'],
    ['', '""'],
    ['a "b" \\', String.raw`"a \"b\" \\"`],
    ['a\u0000\r\n\u007f\u0085', String.raw`"a\u0000\u000d\u000a\u007f\u0085"`],
    ['\u202egnp.\u200b\u2028', String.raw`"\u202egnp.\u200b\u2028"`],
    ['\ud800 alone', String.raw`"\ud800 alone"`],
    ['\u{e0041}', String.raw`"\u{e0041}"`],
    ['x'.repeat(40), `"${'x'.repeat(40)}"`],
    ['x'.repeat(1_000_000), `"${'x'.repeat(40)}…"`],
    ['😀'.repeat(41), `"${'😀'.repeat(40)}…"`],
    [[], 'an empty list'],
    [['secret'], 'a list of 1'],
    [{ secret: 'secret' }, 'an object'],
  ])('%#', (value, words) => expect(describeValue(value)).toBe(words))
})

const none: Sent = { params: {}, body: undefined }

type Asked = Partial<Sent> & { query?: string }

/** What is said of a field that was sent. */
function gotOf(problem: Partial<Problem> & { field: string }, { query = '', ...sent }: Asked): string | undefined {
  const request = { url: `http://a.example/slos${query}` }
  keepSent(request, { ...none, ...sent })
  return withSent(invalidAll([{ message: 'must be b', ...problem }]), request).problems[0]?.got
}

describe('the value of a field is found', () => {
  test.each<[field: string, sent: Asked, got: string | undefined]>([
    ['id', { params: { id: 'x' } }, '"x"'],
    ['page', { query: '?page=0&x' }, '"0"'],
    ['page', { query: '?page=%22' }, String.raw`"\""`],
    ['label', { query: '?label=a&label=b' }, 'a list of 2'],
    ['label', { query: '?label' }, '""'],
    ['target', { body: { target: 0 } }, '0'],
    ['composite.members.1.slo_id', { body: { composite: { members: [{}, { slo_id: 7 }] } } }, '7'],
    ['labels.a.b', { body: { labels: { 'a.b': '' } } }, '""'],
    ['labels', { body: { labels: [1, 2] } }, 'a list of 2'],
    ['labels.constructor', { body: { labels: {} } }, undefined],
    ['__proto__', { body: {} }, undefined],
    ['name', { body: {} }, undefined],
    ['name', { body: { name: undefined } }, undefined],
    ['name.first', { body: { name: 'x' } }, undefined],
    ['body', { body: 'a whole text' }, 'a text'],
    ['body', { body: [1] }, 'a list of 1'],
    ['body', { body: null }, 'null'],
    ['body', { body: {} }, undefined],
  ])('%s in %j', (field, sent, got) => expect(gotOf({ field }, sent)).toBe(got))

  test('also after a deep path', () => {
    const path = Array.from({ length: 1000 }, () => 'a').join('.')
    expect(gotOf({ field: path }, { body: {} })).toBeUndefined()
  })
})

describe('nothing is repeated', () => {
  const all = (field: string) => {
    const [name = '', ...below] = field.split('.').toReversed()
    return below.reduce<unknown>((inside, one) => ({ [one]: inside }), { [name]: 'hunter2' }) as object
  }

  test.each([
    'password',
    'new_password',
    'token',
    'mfa_token',
    'setup_token',
    'code',
    'recovery_code',
    'auth.basic.username',
    'auth.headers.X-Tenant',
    'auth',
    'configuration.webhook_url',
    'config.urls',
    'settings.headers.Authorization',
    'settings.body',
    'settings.auth.bearer.token',
    'certificate',
    'labels.api_key',
  ])('of %s', (field) => {
    expect(gotOf({ field }, { body: all(field) })).toBeUndefined()
    expect(gotOf({ field }, { query: `?${field}=hunter2` })).toBeUndefined()
  })

  test.each([
    ['api_url', 'http://ada:hunter2@a.example'],
    ['api_url', 'ada:hunter2@a.example'],
    ['target', 'https://a.example/?key=hunter2'],
    ['name', 'see https://ada:hunter2@a.example'],
    ['redirect_uris.0', 'http://a.example/#hunter2'],
    ['name', `nines_${'a'.repeat(43)}`],
    ['name', `nineso_${'a'.repeat(43)}`],
    ['name', `  Bearer hunter2`],
    ['name', 'eyJhbGciOiJIUzI1NiJ9.e30.x'],
  ])('of %s with what signs in: %s', (field, value) => {
    const body = field.endsWith('.0') ? { [field.slice(0, -2)]: [value] } : { [field]: value }
    expect(gotOf({ field }, { body })).toBeUndefined()
  })

  test('of a field that must not be there, and of an unknown parameter', () => {
    expect(gotOf({ field: 'passwort', code: 'unknown_parameter' }, { query: '?passwort=hunter2' })).toBeUndefined()
    expect(gotOf({ field: 'passwort', code: 'unexpected' }, { body: { passwort: 'hunter2' } })).toBeUndefined()
  })

  test('of a request that was not read', () => {
    const error = invalid('a', 'must be b')
    expect(withSent(error, { url: 'http://a.example' })).toBe(error)
  })
})

describe('details', () => {
  const request = { url: 'http://a.example' }
  keepSent(request, { ...none, body: { a: 1, b: 'x' } })

  test('have what came after each rule, unless the rule says it', () => {
    const error = invalidAll([
      { field: 'a', message: 'must be 2' },
      { field: 'b', message: 'must not be 1 (got 1)' },
      { field: 'b', message: 'must have at most 20 entries, not 21' },
      { field: 'c', message: 'is required: 3' },
    ])
    const { details, kind, problems } = withSent(error, request)
    const own = 'b: must not be 1 (got 1); b: must have at most 20 entries, not 21'
    expect([kind, details]).toEqual(['invalid', `a: must be 2, got 1; ${own}; c: is required: 3`])
    expect(problems.map(({ message, got }) => [message, got])).toEqual([
      ['must be 2', '1'],
      ['must not be 1 (got 1)', '"x"'],
      ['must have at most 20 entries, not 21', '"x"'],
      ['is required: 3', undefined],
    ])
  })

  test('of their own stay, as do headers and fields of the body', () => {
    const problems = [{ field: 'a', message: 'must be 2' }]
    const more = { details: 'a was taken', headers: { 'Retry-After': '1' }, body: { limit: 3 } }
    const answer = withSent(new AppError('conflict', 'Conflict', { ...more, problems }), request)
    expect(answer).toMatchObject({ kind: 'conflict', message: 'Conflict', ...more })
    expect(answer.problems[0]?.got).toBe('1')
  })

  test('say that there are more', () => {
    const many = Array.from({ length: 25 }, (_, at) => ({ field: `x${at}`, message: 'must be b' }))
    expect(withSent(invalidAll(many), request).details).toEndWith('x19: must be b; and more')
  })
})
