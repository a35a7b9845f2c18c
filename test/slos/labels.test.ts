import { describe, expect, test } from 'bun:test'
import { sloCalls } from '../support/slo-calls.ts'

const on = sloCalls()
const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 'v']))

describe('labels of an SLO', () => {
  test('are answered as they were given, trimmed, wherever the SLO is', async () => {
    const labels = { team: ' payments ', 'service.tier': 'a:b, "c" = \\', constructor: 'ÄÖ 😀', _x: 'y'.repeat(200) }
    const { status, body } = await on.create({ labels })
    expect([status, body.labels]).toEqual([201, { ...labels, team: 'payments' }])
    expect((await on.read(body.id)).body.labels).toEqual(body.labels)
    const { body: list } = await on.nines.call('GET', '/api/v1/slos?page_size=1')
    expect(list.slos[0].labels).toEqual(body.labels)
  })

  test('are replaced as a whole, and only when they are given', async () => {
    const { body } = await on.create({ labels: { team: 'a', tier: '1' } })
    await on.change(body.id, { name: 'Renamed' })
    expect((await on.read(body.id)).body.labels).toEqual({ team: 'a', tier: '1' })
    await on.change(body.id, { labels: { team: 'b' } })
    expect((await on.read(body.id)).body.labels).toEqual({ team: 'b' })
    await on.change(body.id, { labels: {} })
    expect((await on.read(body.id)).body.labels).toEqual({})
  })

  test('may be 20', async () => {
    expect((await on.create({ labels: many(20) })).body.labels).toEqual(many(20))
  })

  test('reach no prototype', async () => {
    const { body } = await on.nines.call(
      'POST',
      '/api/v1/slos',
      `{"name":"x","target":9,"time_window":"1h","metric_type":"latency","metric_query":"up",
        "labels":{"__proto__":{"team":"x"},"\\u005f_proto__":"x","team":"y"}}`,
    )
    expect(body.labels).toEqual({ team: 'y' })
    expect('team' in {}).toBe(false)
  })

  const names = 'labels: must be names of 1 to 63 letters, digits and _.-, a letter or _ first; not '
  const value = 'must be 1 to 200 characters, no control characters'
  test.each([
    ['null', null, 'labels: must be a JSON object of texts, got null'],
    ['a text', 'team', 'labels: must be a JSON object of texts, got "team"'],
    ['a list', ['team'], 'labels: must be a JSON object of texts, got a list of 1'],
    ['an empty list', [], 'labels: must be a JSON object of texts, got an empty list'],
    ['21', many(21), 'labels: must have at most 20 entries, not 21'],
    ['10,000', many(10_000), 'labels: must have at most 20 entries, not 10000'],
    ['a number', { team: 1 }, `labels.team: ${value}, got 1`],
    ['nothing', { team: null }, `labels.team: ${value}, got null`],
    ['an object', { ok: 'x', team: { is: { deep: 'x' } } }, `labels.team: ${value}, got an object`],
    ['a blank', { team: ' \t' }, String.raw`labels.team: ${value}, got " \u0009"`],
    ['201 characters', { team: 'x'.repeat(201) }, `labels.team: ${value}, got "${'x'.repeat(40)}…"`],
    ['two lines', { team: 'a\nb' }, String.raw`labels.team: ${value}, got "a\u000ab"`],
    ['a NUL', { team: 'a\u0000' }, String.raw`labels.team: ${value}, got "a\u0000"`],
    ['half a character', { team: 'a\ud800' }, String.raw`labels.team: ${value}, got "a\ud800"`],
    ['no name', { '': 'x' }, `${names}""`],
    ['a name of spaces', { ' team': 'x' }, `${names}" team"`],
    ['a name that begins with a digit', { '1a': 'x' }, `${names}"1a"`],
    ['a name with a colon', { 'a:b': 'x' }, `${names}"a:b"`],
    ['a name beyond ASCII', { größe: 'x' }, `${names}"größe"`],
    ['a name of two lines', { 'a\n': 'x' }, `${names}"a\\n"`],
    ['a long name', { ['x'.repeat(64)]: 'x' }, `${names}"${'x'.repeat(63)}"`],
  ])('are not %s, and nothing is stored', async (_, labels, details) => {
    const { body: slo } = await on.create({ labels: { team: 'kept' } })
    const wrong = { success: false, error: 'Invalid request', details, problems: expect.any(Array) }
    for (const { status, body } of [
      await on.create({ labels }),
      await on.change(slo.id, { labels, name: 'Changed' }),
    ]) {
      expect([status, body]).toEqual([400, wrong])
    }
    expect((await on.read(slo.id)).body).toMatchObject({ name: 'Checkout', labels: { team: 'kept' } })
    expect((await on.nines.call('GET', '/api/v1/slos?page_size=1')).body.slos[0].id).toBe(slo.id)
  })
})

describe('the list by labels', () => {
  const named = async (...labels: string[]) => {
    const query = labels.map((label) => `&label=${encodeURIComponent(label)}`).join('')
    const { body } = await on.nines.call('GET', `/api/v1/slos?page_size=100${query}`)
    expect(body.total).toBe(body.slos.length)
    return body.slos.map(({ name }: { name: string }) => name).join(' ')
  }

  test('shows the SLOs that have all of them, whatever is in a value', async () => {
    await on.create({ name: 'A', labels: { group: 'x', url: 'http://a:1/?b=[1,2]' } })
    await on.create({ name: 'B', labels: { group: 'x', url: '{"a":1}' } })
    await on.create({ name: 'C', labels: { group: 'X', url: "a,group:x ' or 1=1 --" } })
    expect(await named('group:x')).toBe('B A')
    expect(await named('group: x ')).toBe('B A')
    expect(await named('group:X')).toBe('C')
    expect(await named('group:x', 'url:http://a:1/?b=[1,2]')).toBe('A')
    expect(await named('group:x', 'url:{"a":1}')).toBe('B')
    const { body } = await on.nines.call('GET', '/api/v1/slos?label=group:x&label=url:http://a:1/?b=[1,2]')
    expect(body.slos.map(({ name }: { name: string }) => name)).toEqual(['A'])
    expect(await named("url:a,group:x ' or 1=1 --")).toBe('C')
    expect(await named('group:x', 'group:X')).toBe('')
    expect(await named('url:x')).toBe('')
    expect(await named('Group:x')).toBe('')
  })

  test('goes with the other filters, page by page, and shows no other organization’s', async () => {
    for (const name of ['a', 'b', 'c']) await on.create({ name, labels: { paged: 'yes' } })
    const { body } = await on.nines.call('GET', '/api/v1/slos?label=paged:yes&page_size=2&page=2&team_id=1')
    expect([body.slos.length, body.total, body.has_next]).toEqual([1, 3, false])
    expect((await on.nines.call('GET', '/api/v1/slos?label=paged:yes&team_id=2')).body.total).toBe(0)
    const theirs = await on.nines.call('GET', '/api/v1/slos?label=paged:yes', undefined, { token: on.stranger })
    expect(theirs.body.total).toBe(0)
  })

  test.each([
    '',
    'team',
    'team:',
    ':x',
    'team:%20',
    '1a:x',
    'a%20b:x',
    'team:%00',
    'team=x',
    `team:${'x'.repeat(201)}`,
  ])('refuses label=%s', async (label) => {
    const text = decodeURIComponent(label)
    const words = text.length > 40 ? `"${text.slice(0, 40)}…"` : JSON.stringify(text)
    for (const [query, came] of [
      [`label=${label}`, words],
      [`label=a:b&label=${label}`, 'a list of 2'],
    ]) {
      const { status, body } = await on.nines.call('GET', `/api/v1/slos?${query}`)
      expect([status, body.details]).toEqual([400, `label: must be key:value, as in team:payments, got ${came}`])
    }
  })

  test('takes no more labels than an SLO may have', async () => {
    const times = (count: number) => on.nines.call('GET', `/api/v1/slos?${'label=a:b&'.repeat(count)}`)
    expect((await times(20)).status).toBe(200)
    const { status, body } = await times(5000)
    expect([status, body.details]).toEqual([400, 'label: must be sent at most 20 times, got a list of 5000'])
  })
})
