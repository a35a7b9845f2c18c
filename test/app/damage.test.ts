import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { childPages, noise, overwritePage, rootPage, zeros } from '../support/damage.ts'
import { currents, damageHandlingFaults, openDamaged, type UsedDataDir, usedFolder } from '../support/damaged-world.ts'

setDefaultTimeout(60_000)

let used: UsedDataDir
beforeAll(async () => {
  used = await usedFolder(30)
}, 60_000)
afterAll(() => used.remove())

const cut = (name: string) => (dataDir: string) =>
  truncateSync(join(dataDir, name), statSync(join(dataDir, name)).size / 2)
const lose =
  (name: string, page: number | ((path: string) => number), fill = noise) =>
  (dataDir: string) => {
    const path = join(dataDir, name)
    overwritePage(path, typeof page === 'number' ? page : page(path), fill)
  }
const leafOf = (table: string) => (path: string) => {
  const root = rootPage(path, table)
  return childPages(path, root)[1] ?? root
}
const tables = [
  'organizations',
  'sqlite_sequence',
  'slos',
  'slo_states',
  'buckets',
  'checkpoints',
  'users',
  'data_sources',
  'evaluations',
]

test.each([
  ...tables.map((table) => [`a page of ${table}`, lose('nines.db', leafOf(table))] as const),
  ['a page of sqlite_schema', lose('nines.db', (path) => childPages(path, 1)[1] ?? 0)],
  ['page 10 of samples.db', lose('samples.db', 10)],
  ['page 10 of samples.db, with zeros,', lose('samples.db', 10, zeros)],
  ['the first page of nines.db', lose('nines.db', 1, zeros)],
  ['the first page of samples.db', lose('samples.db', 1, zeros)],
  ['half of nines.db', cut('nines.db')],
  ['half of samples.db', cut('samples.db')],
  [
    'a write-ahead log, which is garbage now,',
    (dataDir: string) => writeFileSync(join(dataDir, 'nines.db-wal'), noise(99_999)),
  ],
] as const)(
  'after the loss of %s nines refuses to start, says what is true, or that it is damaged',
  async (_, damage) => {
    expect(await damageHandlingFaults(used, damage)).toEqual([])
  },
)

test('a page of samples keeps the SLOs unknown that it has samples of, and no others', async () => {
  const opened = await openDamaged(used, lose('samples.db', leafOf('chunks')))
  if ('refused' in opened) throw new Error(opened.refused)
  const { nines } = opened
  nines.clock.advance(60_000)
  const evaluated = await nines.app.evaluator.evaluateAll()
  const failed = evaluated.filter((one) => one.isFailed)
  expect(evaluated).toHaveLength(30)
  expect(failed.length).toBeGreaterThan(0)
  expect(failed.length).toBeLessThan(20)
  for (const { status, message } of failed)
    expect([status, message]).toEqual(['unknown', expect.stringContaining('samples.db is damaged')])
  expect((await nines.call('GET', '/ready')).body).toMatchObject({
    error: expect.stringContaining('samples.db is damaged'),
  })
  await nines.close()
})

test('a page of slo_states keeps the SLOs unknown that it has, in lists and metrics too', async () => {
  const opened = await openDamaged(used, lose('nines.db', leafOf('slo_states')))
  if ('refused' in opened) throw new Error(opened.refused)
  const { nines } = opened
  const found = await currents(nines, used.token)
  const known = [...found].filter(([, value]) => value !== null)
  expect(found.size).toBe(30)
  expect(known.length).toBeGreaterThan(0)
  expect(known.length).toBeLessThan(30)
  for (const [id, value] of known) expect(value).toBe(used.truth.get(id) ?? NaN)
  const metrics = await nines.call('GET', '/metrics', undefined, { token: used.token })
  expect(metrics.status).toBe(200)
  expect(metrics.text.match(/^slo_status\{.*status="unknown"\} 1$/gm)).toHaveLength(30 - known.length)
  expect(metrics.text).toMatch(/^nines_metrics_left_out [1-9]/m)
  expect(nines.logged.filter((line) => line.includes('"database damaged"'))).toHaveLength(1)
  await nines.close()
})

test('a restored page ends the condition with the next check, unless it was met since the check began', async () => {
  const opened = await openDamaged(used, () => {})
  if ('refused' in opened) throw new Error(opened.refused)
  const { app, call, close } = opened.nines
  const isDamaged = () => app.conditions.list().map(({ name }) => name)
  app.damage.noteDamage({ file: 'nines.db', problem: 'database disk image is malformed' })
  expect(isDamaged()).toEqual(['database_damaged'])
  expect(await call('GET', '/ready')).toMatchObject({
    status: 503,
    body: {
      error: 'nines.db is damaged: database disk image is malformed',
      details: expect.stringContaining('nines restore'),
    },
  })
  const checking = app.integrity.check()
  app.damage.noteDamage({ file: 'nines.db', problem: 'database disk image is malformed' })
  await checking
  expect(isDamaged()).toEqual(['database_damaged'])
  await app.integrity.check()
  expect(isDamaged()).toEqual([])
  expect((await call('GET', '/ready')).status).toBe(200)
  await close()
})

test('closing does not wait for a check that is under way', async () => {
  const opened = await openDamaged(used, () => {})
  if ('refused' in opened) throw new Error(opened.refused)
  const checking = opened.nines.app.integrity.check()
  await opened.nines.close()
  await checking
  expect(opened.nines.logged.join()).not.toContain('not finished')
})
