import { describe, expect, test } from 'bun:test'
import { assertTemplate, renderTexts } from '../../../src/notifications/templates/templates.ts'
import { someAlert, someIncident } from '../../support/messages.ts'
import { someTemplateData, budgetAlert } from '../../support/template-data.ts'

const subjectOf = (subject: string, data = someTemplateData()) => renderTexts({ subject, message: null }, data).subject
const messageOf = (message: string, data = someTemplateData()) => renderTexts({ subject: null, message }, data).message

describe('a placeholder', () => {
  test.each([
    ['slo_id', '7'],
    ['slo_name', 'Checkout availability'],
    ['description', 'Orders that were taken'],
    ['labels', 'team=shop, tier=1'],
    ['labels.team', 'shop'],
    ['labels.region', ''],
    ['labels.constructor', ''],
    ['alert_type', 'burn_rate_too_fast'],
    ['event', 'alert'],
    ['priority', 'critical'],
    ['status', 'critical'],
    ['current_value', '99.87'],
    ['target', '99.9'],
    ['time_window', '30d'],
    ['error_budget_used', '130'],
    ['error_budget_remaining', '-30'],
    ['severity', 'page'],
    ['alert', 'burn_rate:3600:300'],
    ['threshold', ''],
    ['burn_rate', '16.2'],
    ['burn_rate_short', '20.5'],
    ['factor', '14.4'],
    ['long_window', '1h'],
    ['short_window', '5m'],
    ['began_at', '2026-03-01T11:58:00.000Z'],
    ['ended_at', ''],
    ['duration', '2m'],
    ['measured_at', '2026-03-01T12:00:00.000Z'],
    ['timestamp', '2026-03-01T12:00:00.000Z'],
    ['link', 'https://nines.example/slos/7'],
    ['since', '2026-03-01 11:58 UTC'],
    ['time_zone', 'UTC'],
    ['incident_link', ''],
    ['cause', ''],
    ['forecast', 'budget spent'],
    ['runbook', ''],
    ['owner', ''],
  ])('%s of a page reads %p', (name, expected) => {
    expect(() => assertTemplate('message', `{{${name}}}`)).not.toThrow()
    expect(messageOf(`<{{${name}}}>`)).toBe(`<${expected}>`)
  })

  const ended = someAlert({ began_at: '2026-02-27T09:30:00.000Z', ended_at: '2026-03-01T11:59:00.000Z' })
  const unseen = { factor: 14.4, long_window: '1h', short_window: '5m', long: null, short: null }
  test.each([
    ['threshold', { alert: budgetAlert(25) }, '25'],
    ['burn_rate', { alert: budgetAlert(25) }, ''],
    ['burn_rate', { alert: someAlert({ burn_rate: unseen }) }, 'unknown'],
    ['ended_at', { alert: ended }, '2026-03-01T11:59:00.000Z'],
    ['duration', { alert: ended }, '2d 2h'],
    ['severity', { alert: null }, ''],
    ['duration', { alert: null }, ''],
    ['labels', { labels: {} }, ''],
    ['current_value', { current_value: null }, 'unknown'],
    ['error_budget_used', { error_budget_used: null }, 'unknown'],
    ['measured_at', { measured_at: null }, 'unknown'],
    ['incident_link', { incident: someIncident() }, 'https://nines.example/incidents/81'],
    ['cause', { alert: someAlert({ name: 'down', outage: { reason: 'HTTP 503', is_up: false } }) }, 'HTTP 503'],
    ['forecast', { error_budget_used: 90, error_budget_remaining: 10 }, 'budget gone in 4 h 27 min'],
    ['runbook', { runbook_url: 'https://wiki.example/checkout' }, 'https://wiki.example/checkout'],
    ['owner', { owner: 'Team Shop' }, 'Team Shop'],
  ])('%s with %j reads %p', (name, data, expected) => {
    expect(messageOf(`<{{${name}}}>`, someTemplateData({}, data))).toBe(`<${expected}>`)
  })

  test.each([
    [99.899999999999, 99.9, '99.9'], // floating-point error
    [99.8999, 99.9, '99.899'],
    [99.94999, 99.95, '99.9499'],
    [99.998951234, 99.999, '99.99895'],
    [100, 99.9, '100'],
    [33.333333333, 99.9, '33.33'],
    [0, 99.9, '0'],
  ])('current_value of %p for a target of %p reads %p: never as the target it is below', (value, target, expected) => {
    expect(messageOf('{{current_value}}', someTemplateData({}, { current_value: value, target }))).toBe(expected)
  })

  test.each([
    ['{{ slo_name }}', 'Checkout availability'],
    ['{{\n\tslo_name\n}}', 'Checkout availability'],
    ['{{slo_id}}{{slo_id}}', '77'],
    ['{"slo": {"id": {{slo_id}}}}', '{"slo": {"id": 7}}'],
    ['{{{slo_id}}}', '{7}'],
    ['{slo_id}', '{slo_id}'],
    ['{{slo_id', '{{slo_id'],
    ['{{slo_id}', '{{slo_id}'],
    ['}}slo_id{{', '}}slo_id{{'],
  ])('is found in %j', (template, expected) => {
    expect(() => assertTemplate('message', template)).not.toThrow()
    expect(messageOf(template)).toBe(expected)
  })

  test.each([
    ['{{slo}}', '{{slo}}'],
    ['{{ Slo_Name }}', '{{Slo_Name}}'],
    ['{{}}', '{{}}'],
    ['{{slo_name}} {{ #if x }}', '{{#if x}}'],
    ['{{labels.}}', '{{labels.}}'],
    ['{{labels.a b}}', '{{labels.a b}}'],
    ['{{constructor}}', '{{constructor}}'],
    [`{{${'x'.repeat(300)}}}`, `{{${'x'.repeat(59)}…}}`],
  ])('is not known in %j', (template, named) => {
    const details = `subject: unknown placeholder ${named} (known: slo_id, slo_name, description, labels, labels.KEY, `
    expect(() => assertTemplate('subject', template)).toThrow(
      expect.objectContaining({ kind: 'invalid', details: expect.stringContaining(details) }),
    )
  })
})

describe('a value', () => {
  test.each([
    '{{target}}',
    '{{labels.team}} }} {{',
    '<script>alert(1)</script> & "quotes"',
    "$& $1 $$ $` $'",
    '%s %d \\n \\u0041',
    '💸 naïve ﷽',
  ])('%j stays text', (slo_name) => {
    expect(subjectOf('[{{slo_name}}]', someTemplateData({}, { slo_name }))).toBe(`[${slo_name}]`)
    expect(messageOf('[{{slo_name}}]', someTemplateData({}, { slo_name }))).toBe(`[${slo_name}]`)
  })

  test.each(['\r\n', '\n', '\r', '\t', '\u2028', '\u2029', '\u0085', '\u000b', '\0', '\u007f', '\r\n\r\n'])(
    'leaves a subject one line, with %j in it',
    (separator) => {
      const description = `up${separator}Bcc: eve@example.com`
      expect(subjectOf('{{description}}', someTemplateData({}, { description }))).toBe('up Bcc: eve@example.com')
      expect(
        renderTexts({ subject: null, message: null }, someTemplateData({}, { slo_name: description })).subject,
      ).not.toContain(separator)
    },
  )

  test('keeps its lines in a message', () => {
    expect(messageOf('{{description}}', someTemplateData({}, { description: 'a\nb' }))).toBe('a\nb')
  })
})

test('a subject is cut visibly at 500 characters, a message at 20,000, and no character in two', () => {
  const data = someTemplateData({}, { description: '💸'.repeat(11_000) })
  expect(subjectOf('x{{description}}', data)).toBe(`x${'💸'.repeat(249)}…`)
  expect(messageOf('x{{description}}', data)).toBe(`x${'💸'.repeat(9999)}…`)
})

test('an empty result of a template is replaced by the default text', () => {
  const standard = renderTexts({ subject: null, message: null }, someTemplateData())
  expect(renderTexts({ subject: '{{labels.region}}', message: ' {{threshold}}\n' }, someTemplateData())).toEqual(
    standard,
  )
  expect(standard.subject.length).toBeGreaterThan(10)
})

test('a stored placeholder that is no longer known stays as it is', () => {
  expect(messageOf('{{gone}} {{slo_id}}')).toBe('{{gone}} 7')
})

test('a long template of braces is read, in linear time or never', () => {
  for (const text of ['{{ '.repeat(6600), `{{${'a'.repeat(19_990)}`, '{'.repeat(20_000)]) {
    assertTemplate('message', text)
    expect(messageOf(text)).toBe(text.trim())
  }
})

test('a template can begin from the default text, in the subject and in the message', () => {
  const standard = renderTexts({ subject: null, message: null }, someTemplateData())
  const begun = renderTexts({ subject: 'Shop: {{default}}', message: '{{ default }}\nCall Bob.' }, someTemplateData())
  expect(begun).toEqual({ subject: `Shop: ${standard.subject}`, message: `${standard.message}\nCall Bob.` })
})
