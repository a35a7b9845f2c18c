import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { openApp } from '../../../src/app.ts'
import { readConfig } from '../../../src/config.ts'
import { prepareBackup, writeBackup } from '../../../src/db/backup/write-backup.ts'
import { createServer } from '../../../src/server.ts'
import { median } from '../support/load.ts'
import { account } from '../page/nines.ts'
import { fillOverview } from '../page/data.ts'

/** What this prints, as JSON: the cost of each operation, in its unit. */
export type Costs = Record<string, { value: number; unit: string }>

const enoughMs = 400
const atLeastTimes = 7
const warmUps = 3

const slos = Number(process.argv[2])
const dataDir = mkdtempSync(join(tmpdir(), 'nines-bench-'))
process.once('exit', () => rmSync(dataDir, { recursive: true, force: true }))
const noLimits = { RATE_LIMIT_PER_IP: '0', RATE_LIMIT_GLOBAL: '0', SOURCE_URL: '', QUOTA_SLOS: '20000' }
const config = readConfig({ DATA_DIR: dataDir, LOG_LEVEL: 'error', ...noLimits })

let { app, server } = open()
const token = await setUp()
const costs: Costs = {}
for (const [name, operation] of Object.entries(operations())) {
  costs[name] = { value: await cpuMsOf(operation), unit: 'ms CPU' }
}
await app.close()
const opening: number[] = []
for (let time = 0; time < 3; time += 1) {
  const before = process.cpuUsage()
  ;({ app, server } = open())
  await call('GET', '/health')
  opening.push(cpuMsSince(before))
  await app.close()
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

function open() {
  const app = openApp(config)
  return { app, server: createServer(app) }
}

async function setUp(): Promise<string> {
  const { access_token } = (await call('POST', '/api/v1/auth/register', account)) as { access_token: string }
  await call('POST', '/api/v1/slos', sloNamed('Checkout'), access_token)
  await fillOverview(app.db, { slos, exhausted: 5, nowMs: app.clock.now() })
  return access_token
}

function operations(): Record<string, () => Promise<unknown>> {
  const get = (path: string) => () => call('GET', `/api/v1${path}`, undefined, token)
  let created = 0
  let minutes = 1440 // another period each time, since an answer is kept
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
    'POST /slos': () => call('POST', '/api/v1/slos', sloNamed(`Created ${(created += 1)}`), token),
    'PUT /slos/:id': () => call('PUT', '/api/v1/slos/1', { description: `Change ${(created += 1)}` }, token),
  }
}

function sloNamed(name: string) {
  const metric_query = 'sum(rate(ok[5m])) / sum(rate(all[5m]))'
  return { name, target: 99.9, time_window: '30d', metric_type: 'availability', metric_query }
}

async function call(method: string, path: string, body?: object, bearer?: string): Promise<unknown> {
  const headers = { 'content-type': 'application/json', ...(bearer && { authorization: `Bearer ${bearer}` }) }
  const init = { method, headers, ...(body && { body: JSON.stringify(body) }) }
  const answer = await server.handle(new Request(`http://127.0.0.1${path}`, init))
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
  return text.startsWith('{') ? JSON.parse(text) : text
}

/** Of one execution, after a commit, so that no answer is kept from before; the median. */
async function cpuMsOf(operation: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let time = -warmUps; time < atLeastTimes || sum(times) < enoughMs; time += 1) {
    await sql`update organizations set created_at = created_at + 1`.execute(app.db.write)
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
