import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { addUser } from '../support/accounts.ts'
import type { TestApp } from '../support/app.ts'
import { joinedApp } from '../support/reused-app.ts'

let nines: TestApp
beforeEach(async () => {
  nines = await joinedApp()
})
afterEach(() => nines.close())

describe('GET /auth/me with the access token of a user who was removed', () => {
  const me = (token: string) => nines.call('GET', '/api/v1/auth/me', undefined, { token })
  const remove = () => nines.app.db.write.deleteFrom('users').where('email', '=', 'bob@example.com').execute()

  test('is 404, while every other route is 401', async () => {
    const token = await addUser(nines, 'bob', 'member')
    await remove()
    const { status, body } = await me(token)
    expect([status, body]).toEqual([404, { success: false, error: 'User not found' }])
    expect((await nines.call('GET', '/api/v1/slos', undefined, { token })).status).toBe(401)
    expect((await nines.call('POST', '/api/v1/auth/logout', undefined, { token })).status).toBe(401)
  })

  test('is 401 once the token has expired, and where it is not genuine', async () => {
    const token = await addUser(nines, 'bob', 'member')
    await remove()
    expect((await me(`${token.slice(0, -3)}abc`)).status).toBe(401)
    nines.clock.advance(8 * 3_600_000)
    expect((await me(token)).status).toBe(401)
  })

  test('is 401 of a user who has only signed out', async () => {
    const token = await addUser(nines, 'bob', 'member')
    await nines.call('POST', '/api/v1/auth/logout', undefined, { token })
    expect((await me(token)).status).toBe(401)
  })
})
