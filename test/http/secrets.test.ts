import { expect, test } from 'bun:test'
import { invalid } from '../../src/errors.ts'
import { keepSecrets, mask, maskSecrets } from '../../src/http/secrets.ts'

const stored = {
  hook_url: 'https://hooks.example/services/s3cret?token=x',
  basic: { username: 'ada', password: 'p4ssword' },
  headers: { 'X.Key': 'k3y', constructor: 'c0nstructor' },
}
const secrets = ['hook_url', 'basic.password', 'headers.*', 'token']
const keep = (sent: object, from: object | null = stored) =>
  keepSecrets(sent, from, secrets, (field) => invalid(field, 'must be the secret'))

test('every secret is masked, and nothing else', () => {
  expect(maskSecrets(stored, secrets)).toEqual({
    hook_url: `https://hooks.example/${mask}`,
    basic: { username: 'ada', password: mask },
    headers: { 'X.Key': mask, constructor: mask },
  })
})

test('masks that are sent back keep the stored secrets', () => {
  const { value, kept } = keep(maskSecrets(stored, secrets))
  expect(value).toEqual({ ...stored })
  expect(kept).toEqual(['hook_url', 'basic.password', 'headers.X.Key', 'headers.constructor'])
})

test('a secret that is sent replaces the stored one', () => {
  const sent = { hook_url: mask, headers: { 'X.Key': 'other' } }
  expect(keep(sent)).toEqual({ value: { ...sent, hook_url: stored.hook_url }, kept: ['hook_url'] })
})

test.each([
  ['is not stored', { token: mask }, 'token'],
  ['is stored under another name', { headers: { 'X-Key': mask } }, 'headers.X-Key'],
  ['is a name that every object has', { headers: { toString: mask } }, 'headers.toString'],
  ['has another origin', { hook_url: `https://other.example/${mask}` }, 'hook_url'],
  ['is of a text that is no URL', { basic: { password: `https://hooks.example/${mask}` } }, 'basic.password'],
])('a mask of a secret that %s is refused', (_, sent, field) => {
  const problems = [expect.objectContaining({ field, message: 'must be the secret' })]
  expect(() => keep(sent)).toThrow(expect.objectContaining({ problems }))
})

test('without stored secrets every mask is refused', () => {
  expect(() => keep({ hook_url: mask }, null)).toThrow()
})

test.each([[{ headers: mask }], [{ headers: [mask] }], [{ basic: null }], [{ hook_url: 5 }]])(
  'what is no secret stays as it is: %p',
  (sent) => {
    expect(keep(sent)).toEqual({ value: sent, kept: [] } as never)
  },
)
