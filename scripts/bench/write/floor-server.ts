import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Elysia } from 'elysia'
import { Database } from '../../../src/db/sqlite.ts'

/**
 * Baselines of a durable create. `POST /grouped` inserts its body and responds once a group commit has stored it. `POST
 * /alone?seconds=` inserts and commits its body one at a time; it returns the inserts per second and the microseconds of CPU
 * time of each.
 */
const dataDir = mkdtempSync(join(tmpdir(), 'nines-bench-'))
process.once('exit', () => rmSync(dataDir, { recursive: true, force: true }))
process.once('SIGTERM', () => process.exit(0))

const db = new Database(join(dataDir, 'floor.db'))
db.pragma('journal_mode = WAL')
db.pragma('synchronous = FULL')
db.exec('create table slos (id integer primary key autoincrement, name text not null, definition text not null) strict')
const insert = db.prepare('insert into slos (name, definition) values (?, ?)')

let waiting: { name: string; definition: string; stored: (id: number) => void }[] = []
const commit = db.transaction((some: typeof waiting) =>
  some.map(({ name, definition }) => Number(insert.run(name, definition).lastInsertRowid)),
)

function commitAll(): void {
  const some = waiting
  waiting = []
  const ids = commit(some)
  for (const [at, { stored }] of some.entries()) stored(ids[at] ?? 0)
}

function store(name: string, definition: string): Promise<number> {
  if (waiting.length === 0) setImmediate(commitAll)
  return new Promise((stored) => waiting.push({ name, definition, stored }))
}

const app = new Elysia()
  .post('/grouped', async ({ body, status }) => {
    const { name } = body as { name: string }
    return status(201, { id: await store(name, JSON.stringify(body)), ...(body as object) })
  })
  .post('/alone', ({ body, query }) => {
    const text = JSON.stringify(body)
    const endsAt = performance.now() + Number(query['seconds']) * 1000
    const cpuBefore = process.cpuUsage()
    const began = performance.now()
    let inserts = 0
    for (; performance.now() < endsAt; inserts += 1) insert.run(`SLO ${inserts}`, text)
    const { user, system } = process.cpuUsage(cpuBefore)
    return {
      perSecond: (inserts / (performance.now() - began)) * 1000,
      cpuMicrosPerAnswer: (user + system) / inserts,
    }
  })
  .listen({ hostname: '127.0.0.1', port: 0, idleTimeout: 60 })

process.stdout.write(`http://127.0.0.1:${app.server?.port}\n`)
