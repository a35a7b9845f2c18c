import { describe, expect, test } from 'bun:test'
import { type Auth, authOf, draftOfAuth } from '../../../../../src/web/page/pages/collect/form/auth.ts'
import { linesOf, readLines } from '../../../../../src/web/page/pages/collect/form/lines.ts'
import { bodyOfProbe, draftOfProbe, hasSecrets } from '../../../../../src/web/page/pages/collect/probes/probe-draft.ts'
import { formatBytes } from '../../../../../src/web/page/format.ts'
import { forecastOf } from '../../../../../src/web/page/pages/collect/storage/sizes.ts'
import { bodyOfTarget, draftOfTarget } from '../../../../../src/web/page/pages/collect/targets/target-draft.ts'
import type { FieldProblem } from '../../../../../src/web/page/ui/form/assign-problems.ts'
import type { Probe, Storage, Target } from '../../../../../src/web/page/pages/collect/types.ts'

/** The field error that `work` throws. */
function problemOf(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    const { field, message } = error as FieldProblem
    return { field, message }
  }
}

describe('lines of names and values', () => {
  test('written lines are read back as the same values, and empty lines are skipped', () => {
    const values = { rack: 'b', site: 'a=b' }
    expect(linesOf(values, '=')).toBe('rack=b\nsite=a=b')
    expect(readLines(`\n${linesOf(values, '=')}\n \n`, '=', 'labels')).toEqual(values)
    expect(readLines('X-Key:  a:b ', ':', 'headers')).toEqual({ 'X-Key': 'a:b' })
  })

  test.each([
    ['rack', 'line 1 must be a name, = and a value'],
    ['a=1\n=2', 'line 2 must be a name, = and a value'],
    ['a=1\nb=2\na=3', 'line 3 has a again'],
  ])('the lines %j are refused with the number of the wrong one', (text, message) => {
    expect(problemOf(() => readLines(text, '=', 'labels'))).toEqual({ field: 'labels', message })
  })
})

test.each<Auth>([
  null,
  { basic: { username: 'nines', password: '********' } },
  { bearer: { token: '********' }, headers: { 'X-Scope-OrgID': '********' } },
  { headers: { 'X-Key': '********' } },
])('credentials that nobody edited are sent back as the server presented them: %j', (auth) => {
  expect(authOf(draftOfAuth(auth))).toEqual(auth as object | null)
})

const commonFields = {
  id: 3,
  organization_id: 1,
  name: 'shop',
  interval_seconds: 15,
  timeout_seconds: 2.5,
  labels: { rack: 'b' },
}
const unsentFields = { is_active: false, created_at: '', updated_at: '', health: {} }

test('a target that nobody edited is sent back unchanged, and an interval that is no number is a problem of its field', () => {
  const target = {
    ...commonFields,
    ...unsentFields,
    url: 'http://a/metrics',
    honor_labels: true,
    auth: null,
  } as unknown as Target
  const { id: _, organization_id: __, ...sentFields } = commonFields
  const draft = draftOfTarget(target)
  expect(bodyOfTarget(draft)).toEqual({
    ...sentFields,
    url: 'http://a/metrics',
    honor_labels: true,
    is_active: false,
    auth: null,
  })
  expect(problemOf(() => bodyOfTarget({ ...draft, interval: 'soon' }))).toEqual({
    field: 'interval_seconds',
    message: 'must be a number',
  })
})

test.each([
  [
    'http',
    {
      method: 'POST',
      headers: { 'X-Key': '********' },
      body: '{}',
      expected_status: [200, 204],
      body_matches: 'ok',
      body_matches_not: null,
      body_contains: 'welcome',
      body_contains_not: null,
      header_matches: { 'content-type': 'json' },
      json_conditions: ['$.status == "UP"', '$.queue < 5'],
      response_time_below_ms: 500,
      auth: { bearer: { token: '********' } },
      follow_redirects: false,
      verify_certificate: false,
    },
  ],
  ['tcp', { tls: true, auth: null, verify_certificate: false }],
  ['tcp', { tls: true, auth: { tls: { ca: 'A', certificate: 'B', key: '********' } }, verify_certificate: true }],
  ['icmp', {}],
  ['dns', { server: '192.0.2.1:53', record_type: 'MX', expected: null }],
] as const)('a probe of type %s that nobody edited is sent back with the settings of its type', (type, settings) => {
  const target = type === 'http' ? 'http://a' : 'a'
  const probe = { ...commonFields, ...unsentFields, type, target, settings } as unknown as Probe
  expect(bodyOfProbe(draftOfProbe(probe, 'http'))).toMatchObject({ type, target, settings, is_active: false })
  expect(hasSecrets(probe)).toBe('auth' in settings && settings.auth !== null)
})

test('a size has at most three digits and a unit', () => {
  const sizes = [0, 940, 1000, 99_960, 262_144, 999_960, 4_294_967_296]
  expect(sizes.map(formatBytes)).toEqual(
    ['0 bytes', '940 bytes', '1.0 kB', '100 kB', '262 kB', '1.0 MB', '4.3 GB'].map((text) =>
      text.replace(' ', '\u2009'),
    ),
  )
})

test.each([
  [{}, 'At this rate it holds about 430\u2009MB once it has the whole 100 days.'],
  [
    { bytes: { used: 43e6, limit: 215e6 } },
    'At this rate it is full in about 40\u2009d. From then on the oldest samples go first, after about 50 days.',
  ],
  [{ file: { used: 0, limit: 43e6, disk_free: null } }, /full in about 9\u2009d.*after about 10 days/],
  [{ bytes: { used: 215e6, limit: 215e6 } }, /full within a day/],
  [{ samples_per_day: 0, bytes_per_day: 0 }, null],
])('the forecast of the storage with %j', (change, sentence) => {
  const storage = { bytes: { used: 4.3e6, limit: 4.3e9 }, file: null, samples_per_day: 2.7e6, bytes_per_day: 4.3e6 }
  const forecast = forecastOf({ ...storage, retention_days: 100, ...change } as unknown as Storage)
  if (sentence instanceof RegExp) expect(forecast).toMatch(sentence)
  else expect(forecast).toBe(sentence)
})
