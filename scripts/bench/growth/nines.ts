import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { prepareBackup, writeBackup } from '../../../src/db/backup/write-backup.ts'
import { median } from '../support/load.ts'
import { checkout, newFolder, openFilled, openNines } from '../support/nines-here.ts'

/** Output of this script, as JSON: the cost of each operation, in its unit. */
export type Costs = Record<string, { value: number; unit: string }>

const enoughMs = 400
const atLeastTimes = 7
const warmUps = 3

const slos = Number(process.argv[2])
const dataDir = newFolder()
const env = { DATA_DIR: dataDir, QUOTA_SLOS: '20000' }
const { token, ...filled } = await openFilled({ slos, exhausted: 5 }, env)
let nines: ReturnType<typeof openNines> = filled
const costs: Costs = {}
for (const [name, operation] of Object.entries(operations())) {
  costs[name] = { value: await cpuMsOf(operation), unit: 'ms CPU' }
}
await nines.app.close()
const opening: number[] = []
for (let time = 0; time < 3; time += 1) {
  const before = process.cpuUsage()
  nines = openNines(env)
  await call('GET', '/health')
  opening.push(cpuMsSince(before))
  await nines.app.close()
}
costs['open the data folder, first answer'] = { value: median(opening), unit: 'ms CPU' }
costs['nines.db with 30 days of each'] = { value: statSync(join(dataDir, 'nines.db')).size / 1e6, unit: 'MB' }
const file = `${dataDir}.tar`
const beforeBackup = process.cpuUsage()
const { folder, remove } = prepareBackup({ dataDir, file })
await writeBackup({ dataDir, file, nowMs: 0 }, folder)
costs['backup'] = { value: cpuMsSince(beforeBackup), unit: 'ms CPU' }
remove()
rmSync(file)
process.stdout.write(JSON.stringify(costs))
process.exit(0)

function operations(): Record<string, () => Promise<unknown>> {
  const get = (path: string) => () => call('GET', `/api/v1${path}`, undefined, token)
  let created = 0
  let minutes = 1440 // a new period each time, since results are cached
  return {
    'GET /slos/:id': get('/slos/1'),
    'GET /slos?page_size=100': get('/slos?page_size=100'),
    'GET /slos/:id/budget': get('/slos/1/budget'),
    'GET /slos/overview': get('/slos/overview'),
    'GET /slos/availability-trend, 24 h': () => get(`/slos/availability-trend?period=${(minutes += 1)}m&step=60m`)(),
    'GET /tsdb/real-time-metrics': get('/tsdb/real-time-metrics'),
    'GET /notifications/rules/coverage': get('/notifications/rules/coverage'),
    'GET /status/public': get('/status/public'),
    'GET /metrics': () => call('GET', '/metrics'),
    'POST /slos': () => call('POST', '/api/v1/slos', { ...checkout, name: `Created ${(created += 1)}` }, token),
    'PUT /slos/:id': () => call('PUT', '/api/v1/slos/1', { description: `Change ${(created += 1)}` }, token),
  }
}

async function call(method: string, path: string, body?: object, bearer?: string): Promise<unknown> {
  const headers = { 'content-type': 'application/json', ...(bearer && { authorization: `Bearer ${bearer}` }) }
  const init = { method, headers, ...(body && { body: JSON.stringify(body) }) }
  const answer = await nines.handle(new Request(`${nines.url}${path}`, init))
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
  return text.startsWith('{') ? JSON.parse(text) : text
}

/** Median CPU time of an execution after a commit, so that no response is cached. */
async function cpuMsOf(operation: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let time = -warmUps; time < atLeastTimes || sum(times) < enoughMs; time += 1) {
    await sql`update organizations set created_at = created_at + 1`.execute(nines.app.db.write)
    const before = process.cpuUsage()
    await operation()
    if (time >= 0) times.push(cpuMsSince(before))
  }
  return median(times)
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

function cpuMsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
