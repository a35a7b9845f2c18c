import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import type { ConfigurationInput } from '../../src/notifications/channels/channel.ts'
import { readChannelType } from '../../src/notifications/configurations.ts'
import { redact } from '../../src/notifications/redact.ts'

const redacted = (text: string, configuration: ConfigurationInput, type = 'webhook') =>
  redact(text, { type: readChannelType(type).type, configuration })
const base64 = (text: string) => Buffer.from(text).toString('base64')
const basic = `Basic ${base64('us:p4s')}`

describe('a secret is taken out of what a receiver says', () => {
  test.each<[string, ConfigurationInput, string, string]>([
    ['that shows it in HTML', { secret: `p&s<"s'w` }, `no p&amp;s&lt;&quot;s&#39;w`, 'no ********'],
    ['that shows it in HTML as Go does', { secret: `p&s<"s'w` }, `no p&amp;s&lt;&#34;s&#39;w`, 'no ********'],
    ['that shows it in JSON as Go does', { secret: 'p&s<w' }, '{"no":"p\\u0026s\\u003cw"}', '{"no":"********"}'],
    ['that encodes it twice', { secret: '12:s3cretOfBot' }, 'no 12%253As3cretOfBot', 'no 12%253A********'],
    ['that decodes a user name and a password', { headers: { a: basic } }, 'no us:p4s', 'no ********'],
    ['that decodes a password', { headers: { a: basic } }, 'no password "p4s"', 'no password "********"'],
    ['that has it in base64', { secret: 's3cretOf' }, `no ${base64('s3cretOf')}!`, 'no ********!'],
    ['with more around it', { secret: 's3cretOf' }, `no ${base64('me:s3cretOf;')}!`, 'no ********!'],
    [
      'for a URL',
      { secret: 's3cret??>>~~' },
      `no ${Buffer.from('a:s3cret??>>~~').toString('base64url')}`,
      'no ********',
    ],
    ['and was cut off', { secret: 's3cretOfMine' }, `no ${base64('s3cretOfMine').slice(0, 9)}…`, 'no ********…'],
  ])('%s', (_, configuration, text, expected) => {
    expect(redacted(text, configuration)).toBe(expected)
  })

  test('that repeats how nines signed in at Jira Service Management', () => {
    const configuration = { mode: 'jsm', cloud_id: 'c', email: 'ops@example.org', api_token: 's3cretToken' }
    const text = `{"authorization":"Basic ${base64('ops@example.org:s3cretToken')}"}`
    expect(redacted(text, configuration, 'incident_b')).toBe('{"authorization":"Basic ********"}')
  })
})

test('a header that is a short number does not make the code of an answer unreadable', () => {
  const text = 'the receiver answered 401: no tenant "1"'
  expect(redacted(text, { headers: { 'X-Scope-OrgID': '1' } })).toBe('the receiver answered 401: no tenant "********"')
})

test('there may be as many secrets as a channel takes', () => {
  const word = (n: number) => createHash('sha256').update(String(n)).digest('hex').slice(0, 7)
  const words = (header: number) => Array.from({ length: 510 }, (_, n) => word(header * 1000 + n)).join(' ')
  const headers = Object.fromEntries(Array.from({ length: 50 }, (_, header) => [`X-${header}`, words(header)]))
  expect(redacted(`no ${word(49_509)} here`, { headers })).toBe('no ******** here')
})
