import { describe, expect, test } from 'bun:test'
import { joinedApp } from '../support/reused-app.ts'
import { checkout, sloCalls } from '../support/slo-calls.ts'
import { rulesOf } from '../support/rules-of.ts'

const on = sloCalls()
describe('deletion', () => {
  test('is soft, can be repeated, and can be undone', async () => {
    const { body } = await on.create()
    expect((await on.remove(body.id)).body).toEqual({ message: 'SLO deleted', composites: [] })
    expect((await on.remove(body.id)).status).toBe(200)
    expect((await on.read(body.id)).body.active).toBe(false)
    expect((await on.change(body.id, { active: true })).status).toBe(200)
    expect((await on.read(body.id)).body.active).toBe(true)
  })

  test('leaves the SLO in the lists of deleted ones, with its team and creator', async () => {
    const lister = await joinedApp()
    for (const name of ['kept', 'gone']) await lister.call('POST', '/api/v1/slos', { ...checkout, name })
    await lister.call('DELETE', '/api/v1/slos/2')
    const named = async (query: string, token?: string) => {
      const { body } = await lister.call('GET', `/api/v1/slos${query}`, undefined, token ? { token } : {})
      return [body.total, ...body.slos.map(({ name, active }: { name: string; active: boolean }) => [name, active])]
    }
    const [kept, gone] = [
      ['kept', true],
      ['gone', false],
    ]
    expect(await named('')).toEqual([1, kept])
    expect(await named('?active=true')).toEqual([1, kept])
    expect(await named('?active=false')).toEqual([1, gone])
    expect(await named('?active=all')).toEqual([2, gone, kept])
    expect(await named('?active=all&page_size=1&page=2')).toEqual([2, kept])
    expect(await named('?active=false&team_id=2')).toEqual([0])
    expect(await named('?active=false', await lister.join('eve'))).toEqual([0])
    const { body } = await lister.call('GET', '/api/v1/slos?active=false')
    expect(body.slos[0]).toMatchObject({ team_name: 'Default', created_by_name: 'ada' })
    await lister.call('PUT', '/api/v1/slos/2', { active: true })
    expect(await named('?active=false')).toEqual([0])
    await lister.close()
  })

  test.each(['', '0', 'False', 'no'])('is not listed by ?active=%s', async (active) => {
    const { status, body } = await on.nines.call('GET', `/api/v1/slos?active=${active}`)
    expect([status, rulesOf(body)]).toEqual([400, 'active: must be one of true, false, all'])
  })

  test('hides the SLO from the list and from calculations', async () => {
    const { body } = await on.create({ name: 'Gone' })
    await on.remove(body.id)
    const { body: list } = await on.nines.call('GET', '/api/v1/slos?page_size=100')
    expect(list.slos.map(({ id }: { id: number }) => id)).not.toContain(body.id)
    const calculation = await on.nines.call('POST', '/api/v1/tsdb/calculate-slo', {
      slo_id: body.id,
      time_window: '1h',
    })
    expect([calculation.status, calculation.body.error]).toEqual([404, 'SLO not found'])
  })
})

describe('another organization’s SLO', () => {
  test('answers just as one that does not exist', async () => {
    const { body } = await on.create()
    const others = (method: string, id: number, change?: unknown) =>
      on.nines.call(method, `/api/v1/slos/${id}`, change, { token: on.stranger })
    for (const [method, sent] of [['GET'], ['PUT', { name: 'Mine' }], ['DELETE']] as const) {
      const theirs = await others(method, body.id, sent)
      expect([theirs.status, theirs.text]).toEqual([404, (await others(method, 999_999, sent)).text])
    }
    expect((await on.read(body.id)).body).toMatchObject({ name: 'Checkout', active: true })
    expect((await on.nines.call('GET', '/api/v1/slos', undefined, { token: on.stranger })).body.total).toBe(0)
  })

  test.each(['abc', '0', '-1', '1.5', '1e3', '0x10', '9007199254740993', '%00', "1'--"])(
    'and the id %s is no id',
    async (id) => {
      const { status, body } = await on.nines.call('GET', `/api/v1/slos/${id}`)
      expect([status, rulesOf(body)]).toEqual([400, 'id: must be the SLO id, a whole number from 1'])
    },
  )
})

describe('the list', () => {
  test('goes page by page, newest first, with the names of team and creator', async () => {
    const lister = await joinedApp()
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      await lister.call('POST', '/api/v1/slos', { ...checkout, name })
      if (name !== 'd') lister.clock.advance(1000)
    }
    const page = async (query: string) => {
      const { body } = await lister.call('GET', `/api/v1/slos${query}`)
      return { ...body, slos: body.slos.map(({ name }: { name: string }) => name).join('') }
    }
    expect(await page('')).toEqual({ slos: 'edcba', total: 5, page: 1, page_size: 10, has_next: false })
    expect(await page('?page=2&page_size=2')).toEqual({ slos: 'cb', total: 5, page: 2, page_size: 2, has_next: true })
    expect(await page('?page=3&page_size=2')).toEqual({ slos: 'a', total: 5, page: 3, page_size: 2, has_next: false })
    expect(await page('?page=9')).toMatchObject({ slos: '', total: 5 })
    expect(await page('?team_id=1')).toMatchObject({ total: 5 })
    expect(await page('?team_id=2')).toMatchObject({ total: 0 })
    const { body } = await lister.call('GET', '/api/v1/slos?page_size=1')
    expect(body.slos[0]).toMatchObject({ team_name: 'Default', created_by_name: 'ada' })
    await lister.close()
  })

  test.each([
    'page=0',
    'page=-1',
    'page=',
    'page=a',
    'page=1.5',
    'page_size=0',
    'page_size=101',
    'page=0x1',
    'team_id=x',
  ])('refuses ?%s', async (query) => {
    const { status, body } = await on.nines.call('GET', `/api/v1/slos?${query}`)
    expect([status, body.error]).toEqual([400, 'Invalid request'])
    expect(body.details).toStartWith(`${query.split('=')[0]}: must be a whole number from `)
  })
})

test('a page of SLOs with long queries is a stream of what a short one has', async () => {
  const lister = await joinedApp()
  const metric_query = `up{path!="${'x'.repeat(9900)}"}`
  const create = (name: string) =>
    lister.call('POST', '/api/v1/slos', { ...checkout, name, metric_query, labels: { id: 'a', tier: '1' } })
  const list = () => lister.call('GET', '/api/v1/slos?page_size=100')
  await create('first')
  const short = await list()
  for (let at = 1; at < 40; at += 1) await create(`SLO ${at}`)
  const long = await list()
  expect([short.headers.has('etag'), long.headers.has('etag')]).toEqual([true, false])
  expect(long.body.slos.at(-1)).toEqual(short.body.slos[0])
  expect({ ...long.body, slos: long.body.slos.length }).toEqual({ ...short.body, slos: 40, total: 40 })
  await lister.close()
})
