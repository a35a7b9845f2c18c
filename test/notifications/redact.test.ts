import { describe, expect, test } from 'bun:test'
import type { ConfigurationInput } from '../../src/notifications/channels/channel.ts'
import { readChannelType } from '../../src/notifications/configurations.ts'
import { redact } from '../../src/notifications/redact.ts'

const url = 'https://receiver.example/hooks/s3cretPath%2Fx/short?key=s3cret%20Parameter&id=7'
const redacted = (text: string, configuration: ConfigurationInput) =>
  redact(text, { type: readChannelType('webhook').type, configuration })

describe('a secret is taken out of an error', () => {
  test.each<[string, ConfigurationInput, string, string]>([
    ['whole', { secret: 's3cret' }, 'no s3cret, not s3cret', 'no ********, not ********'],
    ['in other letters', { secret: 's3cretWord' }, 'no S3CRETWORD', 'no ********'],
    ['encoded for a URL', { secret: 'a b/ü&c' }, 'x=a%20b%2F%C3%BC%26c!', 'x=********!'],
    ['encoded as a whole URL is', { secret: 'a b/ü&c' }, 'x=a%20b/%c3%bc&c!', 'x=********!'],
    ['in JSON', { secret: 'say "s3cret"' }, '{"error":"say \\"s3cret\\""}', '{"error":"********"}'],
    ['in JSON as PHP writes it', { secret: 'aa/bb' }, '{"error":"aa\\/bb"}', '{"error":"********"}'],
    ['as text of a pattern', { secret: '.*+?(s3cret' }, 'no .*+?(s3cret but all', 'no ******** but all'],
    ['short as it is', { secret: 'xyz' }, 'no xyz', 'no ********'],
    ['a header', { headers: { 'X-A': 's3cret-a', 'X-B': 's3cret-b' } }, 's3cret-b, s3cret-a', '********, ********'],
    ['a part of a header', { headers: { Authorization: 'Bearer s3cretToken' } }, 'bad s3cretToken', 'bad ********'],
    ['a URL', { webhook_url: url }, `cannot reach ${url}`, 'cannot reach ********'],
    ['a path', { webhook_url: url }, `no ${new URL(url).pathname} here`, 'no ******** here'],
    ['a segment of a path', { webhook_url: url }, 'no s3cretPath%2Fx here', 'no ******** here'],
    ['a segment of a path decoded', { webhook_url: url }, 'no s3cretPath/x here', 'no ******** here'],
    ['a parameter', { webhook_url: url }, 'bad s3cret Parameter', 'bad ********'],
    ['a parameter as it was sent', { webhook_url: url }, 'bad s3cret%20Parameter', 'bad ********'],
    ['the longer of two', { secret: 's3cret', headers: { a: 's3cret-and-more' } }, 's3cret-and-more', '********'],
    ['cut off at the end', { secret: 's3cretOfSignature' }, 'signed with s3cretOfS…', 'signed with ********…'],
  ])('%s', (_, configuration, text, expected) => {
    expect(redacted(text, configuration)).toBe(expected)
  })
})

test.each<[string, ConfigurationInput, string, string]>([
  [
    'a word of nines',
    { secret: 'receiver' },
    'the receiver answered 500: no receiver',
    'the receiver answered 500: no ********',
  ],
  [
    'a word of nines in a URL',
    { webhook_url: 'https://a.example/answered' },
    'the receiver answered 404',
    'the receiver answered 404',
  ],
  ['a word of a failed connection', { secret: 'refused' }, 'connection refused', 'connection refused'],
  [
    'a word of the mail server',
    { secret: 'refused' },
    'the mail server refused the mail: refused',
    'the mail server refused the mail: ********',
  ],
  [
    'a short word',
    { secret: 'api' },
    'the receiver answered 404: no rapid api',
    'the receiver answered 404: no rapid ********',
  ],
])('a secret that is %s is masked in what the receiver said alone', (_, configuration, text, expected) => {
  expect(redacted(text, configuration)).toBe(expected)
})

test.each<[string, ConfigurationInput, string]>([
  ['what is no secret', { webhook_url: url, format: 'alertmanager' }, 'no alertmanager at receiver.example: short 7'],
  ['where there is none', { format: 'nines' }, 'the receiver answered 500'],
  ['what was cut off elsewhere', { secret: 's3cretOfSignature' }, 'the receiver answered 500: s3…'],
  ['the beginning of a secret that is not cut off', { secret: 's3cretOfSignature' }, 's3cretO said no'],
])('%s stays', (_, configuration, text) => {
  expect(redacted(text, configuration)).toBe(text)
})
