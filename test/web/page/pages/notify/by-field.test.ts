import { expect, test } from 'bun:test'
import { byField } from '../../../../../src/web/page/pages/notify/by-field.ts'

test('a problem is listed under the form field that holds it, and names the part of the field', () => {
  const problems = [
    { field: 'configuration.headers.X-Team', message: 'must be 1 to 4096 characters of printable ASCII' },
    { field: 'configuration.webhook_url', message: 'must be the URL of a webhook' },
    { field: 'configuration.webhook_url', message: 'must be another one' },
    { field: 'max_retries', message: 'must be a whole number from 0 to 100' },
  ]
  expect(byField(problems, ['configuration.webhook_url', 'configuration.headers'])).toEqual({
    'configuration.headers': 'X-Team must be 1 to 4096 characters of printable ASCII.',
    'configuration.webhook_url': 'Must be the URL of a webhook.',
    '': 'Max_retries must be a whole number from 0 to 100.',
  })
})
