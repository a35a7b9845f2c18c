import { Database } from 'bun:sqlite'
import { afterEach, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { closeAll, closeLater } from '../support/closing.ts'
import { type Fault, faultySource } from '../support/faulty-source.ts'
import { launch, newFolder, type Nines, register, startNines } from '../support/process.ts'
import { seeded } from '../support/seeded.ts'

afterEach(closeAll)

const slo = { target: 99.9, time_window: '1h', metric_type: 'availability', metric_query: 'avg_over_time(up[5m])' }

/** Changes that the server has acknowledged. For a name under way at the kill, the old or the new one may be stored. */
type Journal = {
  tokens: string[]
  slos: { token: string; id: number; name: string; underWay: string }[]
  acknowledged: number
  cutOff: number
  refused: string[]
}

describe('SIGKILL', () => {
  test('at any moment loses no acknowledged write and leaves nothing half written', async () => {
    const rounds = 8
    const dataDir = newFolder()
    const random = seeded(7)
    const journal: Journal = { tokens: [], slos: [], acknowledged: 0, cutOff: 0, refused: [] }
    for (let round = 1; round <= rounds; round += 1) {
      const nines = await startNines({ dataDir, env: { SOURCE_URL: 'http://127.0.0.1:9' } })
      await expectAllThere(nines, journal)
      expectWhole(dataDir)
      const killAt = journal.acknowledged + 1 + Math.floor(random() * 120)
      const delayMs = random() * 10
      const acknowledge = () => {
        journal.acknowledged += 1
        if (journal.acknowledged === killAt) setTimeout(() => nines.kill('SIGKILL'), delayMs)
      }
      const clients = ['a', 'b', 'c', 'd'].map((name) => write(nines, `${name}${round}`, journal, acknowledge))
      await Promise.all(clients)
      nines.kill('SIGKILL') // already gone, unless requests were refused
      expect(await nines.exited).toBe(128 + 9)
    }
    const nines = await startNines({ dataDir })
    await expectAllThere(nines, journal)
    expectWhole(dataDir)
    expect(journal.refused).toEqual([])
    expect(journal.acknowledged).toBeGreaterThan(200)
    expect(journal.cutOff).toBe(rounds * 4)
  }, 60_000)
})

/** A client that registers accounts, creates and changes SLOs, until the server is gone. */
async function write(nines: Nines, client: string, journal: Journal, acknowledge: () => void): Promise<void> {
  const send = async (method: string, path: string, body: object, token?: string) => {
    const answer = await nines.call(method, path, body, token)
    if (answer.status <= 201) return answer.body
    journal.refused.push(answer.text)
    throw new Error(answer.text)
  }
  try {
    for (let account = 1; ; account += 1) {
      const name = `${client}-${account}`
      const wanted = { email: `${name}@example.com`, name, password: 'correct horse', organization_name: name }
      const { access_token: token } = await send('POST', '/api/v1/auth/register', wanted)
      journal.tokens.push(token)
      acknowledge()
      for (const first of ['first', 'second', 'third']) {
        const { id } = await send('POST', '/api/v1/slos', { ...slo, name: first }, token)
        const stored = { token, id, name: first, underWay: first }
        journal.slos.push(stored)
        acknowledge()
        for (const change of ['once', 'twice', 'thrice']) {
          stored.underWay = `${first}, changed ${change}`
          await send('PUT', `/api/v1/slos/${id}`, { name: stored.underWay }, token)
          stored.name = stored.underWay
          acknowledge()
        }
      }
    }
  } catch {
    journal.cutOff += 1
  }
}

async function expectAllThere(nines: Nines, { tokens, slos }: Journal): Promise<void> {
  for (const token of tokens) expect((await nines.call('GET', '/api/v1/auth/me', undefined, token)).status).toBe(200)
  for (const { token, id, name, underWay } of slos) {
    const { body } = await nines.call('GET', `/api/v1/slos/${id}`, undefined, token)
    expect([name, underWay]).toContain(body.name)
  }
}

/** Checks what must hold in the database at any time, from another process while the server runs. */
function expectWhole(dataDir: string): void {
  using db = new Database(join(dataDir, 'nines.db'), { readonly: true })
  const column = (sql: string) =>
    db
      .query<Record<string, unknown>, []>(sql)
      .all()
      .flatMap((row) => Object.values(row))
  const without = (table: string, other: string, condition: string) =>
    column(`SELECT count(*) FROM ${table} WHERE NOT EXISTS (SELECT 1 FROM ${other} WHERE ${condition})`)
  expect(column('PRAGMA integrity_check')).toEqual(['ok'])
  expect(column('PRAGMA foreign_key_check')).toEqual([])
  expect(without('organizations', 'users', 'organization_id = organizations.id')).toEqual([0])
  expect(without('organizations', 'teams', 'organization_id = organizations.id AND teams.id = 1')).toEqual([0])
  expect(without('organizations', 'data_sources', 'organization_id = organizations.id AND is_default')).toEqual([0])
  expect(without('users', 'organizations', 'organizations.id = organization_id')).toEqual([0])
  expect(without('sessions', 'refresh_tokens', 'session_id = sessions.id')).toEqual([0])
}

test('a second process on the same data folder is refused, and the first goes on', async () => {
  const dataDir = newFolder()
  const first = await startNines({ dataDir })
  const token = await register(first, 'ada')
  const second = launch({ dataDir })
  expect(await second.exited).toBe(1)
  expect(second.log()).toBe(`nines: the data folder ${dataDir} is in use by another nines\n`)
  expect((await first.call('POST', '/api/v1/slos', { name: 'SLO', ...slo }, token)).status).toBe(201)
})

describe('SIGTERM', () => {
  /** A server whose one source answers as ordered, and a calculation that waits for it. */
  async function calculating(fault: Fault, shutdownTimeoutSeconds: number) {
    const source = faultySource(fault)
    closeLater(source.close)
    const env = { SOURCE_URL: source.url, SOURCE_TIMEOUT: '4', SHUTDOWN_TIMEOUT: String(shutdownTimeoutSeconds) }
    const dataDir = newFolder()
    const nines = await startNines({ dataDir, env })
    const token = await register(nines, 'ada')
    const { body } = await nines.call('POST', '/api/v1/slos', { name: 'SLO', ...slo }, token)
    const wanted = { slo_id: body.id, time_window: '1h' }
    const outcome = nines.call('POST', '/api/v1/tsdb/calculate-slo', wanted, token).catch(() => 'cut off' as const)
    await source.until(() => source.asked.length > 0)
    return { nines, outcome, dataDir, source }
  }

  test('lets the request under way finish, and takes no new ones', async () => {
    const { nines, outcome } = await calculating({ delayMs: 500 }, 30)
    nines.kill('SIGTERM')
    await nines.said(/"stopping"/)
    await expect(nines.call('GET', '/ready')).rejects.toThrow()
    expect(await outcome).toMatchObject({ status: 200, body: { current_value: 99.9 } })
    expect(await nines.exited).toBe(0)
    expect(nines.log()).toContain('"stopped"')
    expect(nines.log()).not.toContain('cut off')
  })

  test.each([0, 1])('cuts a request off that still hangs after SHUTDOWN_TIMEOUT=%d, and exits 0', async (seconds) => {
    const { nines, outcome, dataDir } = await calculating('hang', seconds)
    const began = performance.now()
    nines.kill('SIGTERM')
    expect(await nines.exited).toBe(0)
    expect(performance.now() - began).toBeWithin(seconds * 1000 - 50, seconds * 1000 + 1000)
    expect(await outcome).toBe('cut off')
    expect(nines.log()).toContain('"requests were still under way and have been cut off","requests":1')
    expectWhole(dataDir)
  })

  test('a second time ends it at once, with exit code 1', async () => {
    const { nines, outcome, dataDir } = await calculating('hang', 30)
    nines.kill('SIGTERM')
    await nines.said(/"stopping"/)
    const began = performance.now()
    nines.kill('SIGTERM')
    expect(await nines.exited).toBe(1)
    expect(performance.now() - began).toBeLessThan(1000)
    expect(await outcome).toBe('cut off')
    expectWhole(dataDir)
  })
})
