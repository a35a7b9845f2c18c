import { Database } from 'bun:sqlite'
import { afterEach, expect, test } from 'bun:test'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { closeAll, closeLater } from '../support/closing.ts'
import { command, launch, newFolder, type Nines, register, startNines } from '../support/process.ts'
import { seeded } from '../support/seeded.ts'
import { copyOf } from '../support/template-data-dir.ts'

afterEach(closeAll)

/** Number of times nines is killed or stopped under load; 200 take about ten minutes. */
const rounds = Number(process.env['NINES_KILLS'] ?? 20)
const env = { SOURCE_URL: 'embedded' }
const alarm = 'commits may be missing'

/** Changes an SLO and imports samples until the server is gone. Returns the number of answers. */
async function load(nines: Nines, token: string, client: number): Promise<number> {
  let answered = 0
  try {
    for (;;) {
      const name = `${client} ${answered}`
      const body = { name, description: 'x'.repeat(1500), ...slo }
      const { status } = await nines.call('POST', '/api/v1/slos', body, token)
      if (status !== 201) await nines.call('PUT', '/api/v1/slos/1', { description: name.padEnd(1500, '.') }, token)
      if (client === 0) await fetch(`${nines.url}/api/v1/embedded/import`, importOf(token))
      answered += 1
    }
  } catch {
    return answered
  }
}

const slo = { target: 99.9, time_window: '1h', metric_type: 'availability', metric_query: 'avg_over_time(up[5m])' }

function importOf(token: string): RequestInit {
  const nowSeconds = Math.floor(Date.now() / 1000)
  const lines = Array.from({ length: 500 }, (_, at) => `m{at="${at}"} ${Math.random()} ${nowSeconds}\n`)
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/openmetrics-text' }
  return { method: 'POST', headers, body: `${lines.join('')}# EOF\n` }
}

async function run(args: string[], dataDir: string): Promise<void> {
  const child = Bun.spawn([...command, ...args], { cwd: newFolder(), env: { DATA_DIR: dataDir }, stderr: 'pipe' })
  const said = await child.stderr.text()
  expect([args, await child.exited, said]).toEqual([args, 0, ''])
}

/** Events between the kill and the next start. Each returns the folder to continue with. */
const after: Record<string, (dataDir: string, random: () => number) => Promise<string>> = {
  nothing: async (dataDir) => dataDir,
  async 'another program reads both databases, and is the last to close them'(dataDir) {
    for (const name of ['nines.db', 'samples.db']) {
      using db = new Database(join(dataDir, name))
      db.query('select count(*) from sqlite_schema').get()
    }
    return dataDir
  },
  async 'a command looks at the accounts'(dataDir) {
    await run(['admin', 'list'], dataDir)
    return dataDir
  },
  'the folder is copied': async (dataDir) => moved(dataDir, copyOf(dataDir)),
  async 'a backup is restored'(dataDir) {
    const file = join(newFolder(), 'backup.tar')
    await run(['backup', file], dataDir)
    const restored = newFolder()
    await run(['restore', file], restored)
    return moved(dataDir, restored)
  },
  async 'the next start is killed too'(dataDir, random) {
    const starting = launch({ dataDir, env })
    setTimeout(() => starting.kill('SIGKILL'), 300 * random())
    await starting.exited
    expect(starting.log()).not.toContain(alarm)
    return dataDir
  },
}

function moved(from: string, to: string): string {
  closeLater(() => rmSync(to, { recursive: true, force: true }))
  rmSync(from, { recursive: true })
  return to
}

/** The commit mark of `nines.db`; undefined after an orderly end. */
function noteIn(dataDir: string): string | undefined {
  const path = join(dataDir, 'nines.db-mark')
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}

/** Ends a server under load: by SIGKILL, during its orderly end, or orderly. */
async function end(nines: Nines, random: () => number): Promise<void> {
  const kind = random()
  if (kind > 0.7) nines.kill('SIGTERM')
  if (kind < 0.7) nines.kill('SIGKILL')
  else if (kind < 0.9) setTimeout(() => nines.kill('SIGKILL'), 150 * random())
  await nines.exited
}

test(`no ${rounds} kills, whatever comes after each, are taken for a loss, and a loss after them is`, async () => {
  const random = seeded(Number(process.env['NINES_SEED'] ?? 11))
  let dataDir = newFolder()
  let token = ''
  let answered = 0
  for (let round = 0; round < rounds; round += 1) {
    const nines = await startNines({ dataDir, env })
    expect(nines.log()).not.toContain(alarm)
    if (round === 0) token = await register(nines, 'ada')
    const clients = [0, 1, 2].map((client) => load(nines, token, client))
    const beside = random() < 0.3 ? run(['admin', 'reset-password', 'ada@example.com'], dataDir) : undefined
    const ending = Promise.withResolvers<void>()
    setTimeout(() => ending.resolve(), 2500 * random() ** 2)
    await ending.promise
    await end(nines, random)
    for (const count of await Promise.all(clients)) answered += count
    await beside
    const happenings = Object.values(after)
    const happens = happenings[Math.floor(random() * happenings.length)] ?? happenings[0]
    dataDir = (await happens?.(dataDir, random)) ?? dataDir
  }
  expect(answered).toBeGreaterThan(10 * rounds)
  const before = noteIn(dataDir)
  const last = await startNines({ dataDir, env })
  expect(last.log()).not.toContain(alarm)
  while (noteIn(dataDir) === before) await last.call('GET', '/health')
  const { body } = await last.call('GET', '/api/v1/health')
  expect(body.conditions.map(({ name }: { name: string }) => name)).not.toContain('commits_missing')
  last.kill('SIGKILL')
  await last.exited
  rmSync(join(dataDir, 'nines.db-wal'))
  const robbed = await startNines({ dataDir, env })
  expect(robbed.log()).toContain(`"${alarm}","file":"nines.db"`)
}, 3_600_000)
