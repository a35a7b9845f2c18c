import { expect, test } from 'bun:test'
import { emailOf, nameOf, roleOf, textsOf } from '../../../src/auth/external/claims.ts'

test.each([
  [{ groups: ['a', 'b'] }, 'groups', ['a', 'b']],
  [{ groups: 'a' }, 'groups', ['a']],
  [{ groups: ['a', 1, null, ''] }, 'groups', ['a']],
  [{ groups: { a: true } }, 'groups', []],
  [{}, 'groups', []],
  [{ realm_access: { roles: ['a'] } }, 'realm_access.roles', ['a']],
  [{ 'https://example.com/roles': ['a'] }, 'https://example.com/roles', ['a']],
  [{ a: 'text' }, 'a.length', []],
  [{}, '__proto__.constructor', []],
] as const)('%j at %s is %j', (claims, path, texts) => {
  expect(textsOf(claims, path)).toEqual([...texts])
})

test.each([
  [['b=member', 'a=admin'], ['a', 'b'], 'admin'],
  [['b=member', 'a=admin'], ['b'], 'member'],
  [['a=admin'], ['A'], undefined],
  [['*=viewer', 'a=admin'], [], 'viewer'],
  [['cn=a,dc=example=member'], ['cn=a,dc=example'], 'member'],
  [[], ['a'], undefined],
] as const)('%j gives %j the role %p', (map, groups, role) => {
  expect(roleOf([...map], [...groups])).toBe(role)
})

test.each([
  [
    { email: 'a@example.com', email_verified: true },
    { address: 'a@example.com', isVerified: true },
  ],
  [
    { email: 'a@example.com', email_verified: 'true' },
    { address: 'a@example.com', isVerified: true },
  ],
  [
    { email: 'a@example.com', email_verified: 1 },
    { address: 'a@example.com', isVerified: false },
  ],
  [{ email: 'a@example.com' }, { address: 'a@example.com', isVerified: false }],
  [{ email: 'nobody', email_verified: true }, null],
  [{ email: 7 }, null],
] as const)('%j has the address %j', (claims, email) => {
  expect(emailOf(claims)).toEqual(email)
})

test('a name is that of the person, else the user name, in at most 200 characters', () => {
  expect([nameOf({ name: ' Ada ' }), nameOf({ name: '', preferred_username: 'ada' }), nameOf({ name: 1 })]).toEqual([
    'Ada',
    'ada',
    undefined,
  ])
  expect(nameOf({ name: 'x'.repeat(300) })).toHaveLength(200)
})
