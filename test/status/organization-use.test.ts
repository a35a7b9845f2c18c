import { afterEach, expect, test } from 'bun:test'
import { readOrganizationUse, type UseDeps } from '../../src/status/organization-use.ts'
import { addUser } from '../support/accounts.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { checkout } from '../support/slo-calls.ts'

let nines: TestApp
afterEach(() => nines.close())

const read = (token?: string) =>
  nines.call('GET', '/api/v1/organization/system/organizations', undefined, token === undefined ? {} : { token })

test('each organization is listed with what it uses, most bytes first, and nothing else of it', async () => {
  nines = await testApp({ env: { SOURCE_URL: 'embedded' } })
  await nines.join('ada')
  const token = await nines.join('eve')
  const text = `# TYPE jobs gauge\njobs{a="1"} 3 ${nines.clock.now() / 1000}\njobs{a="2"} 4 ${nines.clock.now() / 1000}\n# EOF\n`
  expect((await nines.call('POST', '/api/v1/embedded/import', { text }, { token })).status).toBe(200)
  for (const name of ['kept', 'deleted']) {
    await nines.call('POST', '/api/v1/slos', { ...checkout, name, force: true }, { token })
  }
  expect((await nines.call('DELETE', '/api/v1/slos/2', undefined, { token })).status).toBe(200)
  const entry = { key: 'k', query: 'up', slo_id: 1, time_window: '1h', result: { value: 12 } }
  expect((await nines.call('POST', '/api/v1/cache/entry', entry, { token })).status).toBe(200)

  const { status, body } = await read()
  expect(status).toBe(200)
  const [eve, ada] = body.organizations
  expect(eve).toEqual({
    id: 2,
    name: 'eve Inc',
    samples_bytes: expect.any(Number),
    series: 2,
    slos: 1,
    cache_bytes: '{"value":12}'.length,
    cache_memory_bytes: expect.any(Number),
  })
  expect(eve.cache_memory_bytes).toBeGreaterThan(0)
  expect(ada).toEqual({
    id: 1,
    name: 'ada Inc',
    samples_bytes: 0,
    series: 0,
    slos: 0,
    cache_bytes: 0,
    cache_memory_bytes: 0,
  })
  expect(body.organization_count).toBe(2)
})

test('of many organizations the largest are listed, by bytes, series and age, and all are counted', async () => {
  nines = await testApp()
  const { db } = nines.app
  const names = Array.from({ length: 120 }, (_, at) => ({ name: `organization ${at + 1}`, created_at: 1 }))
  await db.write.insertInto('organizations').values(names).execute()
  const deps: UseDeps = {
    db,
    samples: {
      whenFilled: async () => {},
      usedByAll: () =>
        new Map([
          [7, { series: 1, bytes: 10 }],
          [9, { series: 5, bytes: 10 }],
          [8, { series: 5, bytes: 10 }],
        ]),
    },
    cache: { bytesByOrganization: async () => new Map([[3, { bytes: 11, memoryBytes: 2 }]]) },
  }
  const { count, use } = await readOrganizationUse(deps, 100)
  expect([count, use.length]).toEqual([120, 100])
  expect(use.slice(0, 5).map(({ id }) => id)).toEqual([3, 8, 9, 7, 1])
  expect(use[0]).toMatchObject({ cacheBytes: 11, cacheMemoryBytes: 2, slos: 0 })
})

test('administrators of other organizations, and members, may not read it', async () => {
  nines = await testApp()
  await nines.join('ada')
  const eve = await nines.join('eve')
  const { status, body } = await read(eve)
  expect([status, body.details]).toEqual([
    403,
    'must be an administrator of the first organization: this is about all organizations',
  ])
  const member = await addUser(nines, 'mallory', 'member')
  expect((await read(member)).status).toBe(403)
})
