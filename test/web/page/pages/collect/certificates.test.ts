import { expect, test } from 'bun:test'
import { identity, toneOf, users, validity } from '../../../../../src/web/page/pages/collect/certificates/words.ts'

const nowMs = Date.parse('2026-11-21T10:00:00Z')
const of = (expires_at: string) => ({ names: ['shop.example', 'www.shop.example'], expires_at })

test('the validity of a certificate is a sentence with its time and how long that is', () => {
  expect(validity(of('2026-11-26T13:00:00Z'), nowMs)).toMatch(
    /^The certificate of shop\.example expires in 5\sd 3\sh, on .+\.$/,
  )
  expect(validity(of('2026-11-19T10:00:00Z'), nowMs)).toMatch(
    /^The certificate of shop\.example expired 2\sd( 0\sh)? ago, on .+\.$/,
  )
  expect(validity({ ...of('2026-11-26T13:00:00Z'), names: [] }, nowMs)).toStartWith('The certificate expires in')
})

test('what a certificate is for, who signed it and who uses it', () => {
  const names = ['a.example', 'b.example']
  expect(identity({ names, issuer: 'R11' })).toBe('For a.example and b.example, issued by R11.')
  expect(identity({ names: [], issuer: 'R11' })).toBe('Issued by R11.')
  const used_by = [
    { kind: 'probe', id: 1, name: 'Shop' },
    { kind: 'channel', id: 1, name: 'On call' },
  ] as const
  expect(users({ used_by: [...used_by] })).toBe('Used by check Shop and channel On call.')
})

test.each([
  ['valid', '2027-01-01T00:00:00Z', 'muted'],
  ['expiring', '2026-12-01T00:00:00Z', 'warning'],
  ['expired', '2026-11-01T00:00:00Z', 'crit-text'],
  ['expiring', '2026-11-21T09:59:59Z', 'crit-text'], // expired since it was read
] as const)('one that is %s until %s is %s', (state, expires_at, tone) => {
  expect(toneOf({ state, expires_at }, nowMs)).toBe(tone)
})
