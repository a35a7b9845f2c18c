import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { TestApp } from '../support/app.ts'
import { joinedApp } from '../support/reused-app.ts'
import { checkout } from '../support/slo-calls.ts'

let nines: TestApp
let stranger: string
beforeAll(async () => {
  nines = await joinedApp()
  stranger = await nines.join('eve')
  const slos = [
    { name: 'Checkout answers', description: 'Buying works', labels: { team: 'shop' } },
    { name: 'Suche', description: 'Ähnliche Artikel\nin 500 ms', labels: { team: 'shop' } },
    { name: 'Login', description: '100 % of sign-ins, see check_in' },
    { name: 'Deleted check', description: '' },
  ]
  for (const slo of slos) await nines.call('POST', '/api/v1/slos', { ...checkout, ...slo })
  await nines.call('DELETE', '/api/v1/slos/4')
  for (let at = 0; at < 60; at += 1)
    await nines.call('POST', '/api/v1/slos', { ...checkout, name: `Shard ${at}`, description: '' })
})
afterAll(() => nines.close())

const list = (query: string, token?: string) =>
  nines.call('GET', `/api/v1/slos?${query}`, undefined, token === undefined ? {} : { token })
const idsOf = ({ body }: Awaited<ReturnType<typeof list>>) => body.slos.map(({ id }: { id: number }) => id)

test.each([
  ['CHECK', [3, 1]],
  ['check&active=all', [4, 3, 1]],
  ['check&active=false', [4]],
  ['check&label=team:shop', [1]],
  ['check&team_id=2', []],
  ['ähnliche', [2]],
  ['ÄHNLICHE', [2]],
  ['artikel%20%20', [2]],
  ['%25', [3]],
  ['_', [3]],
  ["'%20or%201=1%20--", []],
  ['.*', []],
  ['sum(rate', []],
] as const)('?search=%s finds %j', async (query, ids) => {
  const answer = await list(`search=${query}`)
  expect([answer.status, answer.body.total, idsOf(answer)]).toEqual([200, ids.length, [...ids]])
})

test('what is found has pages, newest first', async () => {
  const first = await list('search=shard&page_size=25')
  expect(first.body).toMatchObject({ total: 60, page: 1, page_size: 25, has_next: true })
  const last = await list('search=shard&page_size=25&page=3')
  expect(last.body).toMatchObject({ total: 60, has_next: false })
  expect(idsOf(last)).toEqual([14, 13, 12, 11, 10, 9, 8, 7, 6, 5])
  expect(idsOf(await list('search=shard&page=9'))).toEqual([])
  expect(last.body.slos[0]).toMatchObject({ team_name: 'Default', created_by_name: 'ada' })
})

test('an empty search is none, and another organization finds nothing of this one', async () => {
  expect((await list('search=')).body.total).toBe(63)
  expect((await list('search=check', stranger)).body).toMatchObject({ slos: [], total: 0 })
})

test.each(['%00', 'a%0ab', 'x'.repeat(201)])('?search=%s is refused', async (query) => {
  expect((await list(`search=${query}`)).status).toBe(400)
})
