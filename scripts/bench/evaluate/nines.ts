import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { openApp } from '../../../src/app.ts'
import { readConfig } from '../../../src/config.ts'
import type { NewSlo } from '../../../src/db/tables/tables.ts'
import { startBackfill } from '../../../src/slos/backfills/store.ts'
import { insertRevision } from '../../../src/slos/revision-store.ts'
import { insertSlo } from '../../../src/slos/store.ts'
import { cpuSeconds } from '../support/load.ts'
import { scaleQuery } from '../support/scale-slos.ts'

/**
 * Argument of this script, as JSON: numbers of SLOs, of rounds after the first, of SLOs to backfill, and of services in the data;
 * URL and process id of the source, and the end of its data, `now` (Unix seconds). `composites`: number of SLOs over ten of the others each.
 */
export type Task = {
  slos: number
  rounds: number
  backfilled: number
  services: number
  url: string
  pid: number
  now: number
  composites?: number
}

/** Cost in seconds: elapsed time, and CPU time of the source and of this process. */
export type Cost = { seconds: number; sourceCpu: number; ownCpu: number }

/**
 * Output of this script, as JSON. `sliPercents`: SLI of each SLO over its 30 days in the last round. `failed`: number of SLIs
 * without a value, in all rounds. `first`: cost of the first round, which fills the ledger.
 */
export type Report = {
  first: Cost
  rounds: (Cost & { renewedCheckpoints: number })[]
  failed: number
  sliPercents: number[]
  backfill: Cost
  peakRssBytes: number
  tables: { name: string; rows: number; bytes: number }[]
}

const task = JSON.parse(process.argv[2] ?? '') as Task
const dataDir = mkdtempSync(join(tmpdir(), 'nines-bench-'))
process.once('exit', () => rmSync(dataDir, { recursive: true, force: true }))

let nowMs = 0
let checkpointEnds = new Map<number, number>()
const firstSeconds = task.now - task.rounds * 60
const config = readConfig({ DATA_DIR: dataDir, SOURCE_URL: task.url, LOG_LEVEL: 'warn', QUOTA_SLOS: '20000' })
const app = openApp(config, { clock: { now: () => nowMs } })
const sloIds = await insertSlos()

let failed = 0
let sliPercents: Report['sliPercents'] = []
const first = await evaluateAt(firstSeconds)
const rounds: Report['rounds'] = []
for (let round = 1; round <= task.rounds; round += 1) rounds.push(await evaluateAt(firstSeconds + round * 60))
const peakRssBytes = process.resourceUsage().maxRSS * 1024
const backfill = await costOf(backfillFirst)
const report: Report = { first, rounds, failed, sliPercents, backfill, peakRssBytes, tables: await listTables() }
await app.close()
process.stdout.write(JSON.stringify(report))

/** Evaluates every SLO for the minute that ends at `atSeconds`. */
async function evaluateAt(atSeconds: number) {
  nowMs = (atSeconds + 5) * 1000
  const cost = await costOf(async () => {
    const evaluations = await app.evaluator.evaluateAll()
    const bySlo = new Map(evaluations.map((evaluation) => [evaluation.sloId, evaluation]))
    sliPercents = sloIds.map((id) => bySlo.get(id)?.own ?? Number.NaN)
    failed += sliPercents.filter((percent) => Number.isNaN(percent)).length
  })
  const previousEnds = checkpointEnds
  const checkpoints = await app.db.read.selectFrom('checkpoints').select(['slo_id', 'end_at']).execute()
  checkpointEnds = new Map(checkpoints.map(({ slo_id, end_at }) => [slo_id, end_at]))
  return { ...cost, renewedCheckpoints: [...checkpointEnds].filter(([id, end]) => previousEnds.get(id) !== end).length }
}

/** Backfills the first `task.backfilled` SLOs. */
async function backfillFirst(): Promise<void> {
  const slos = await app.db.read
    .selectFrom('slos')
    .selectAll()
    .where('id', 'in', sloIds.slice(0, task.backfilled))
    .execute()
  await app.db.write.transaction().execute(async (trx) => {
    for (const slo of slos) await startBackfill(trx, slo, nowMs)
  })
  await app.backfills.run()
}

async function costOf(work: () => Promise<void>): Promise<Cost> {
  const [began, sourceBefore, ownBefore] = [performance.now(), cpuSeconds(task.pid), process.cpuUsage()]
  await work()
  const cpu = process.cpuUsage(ownBefore)
  return {
    seconds: (performance.now() - began) / 1000,
    sourceCpu: cpuSeconds(task.pid) - sourceBefore,
    ownCpu: (cpu.user + cpu.system) / 1e6,
  }
}

async function insertSlos(): Promise<number[]> {
  const ids: number[] = []
  await app.db.write.transaction().execute(async (trx) => {
    const organization = { name: 'Bench', created_at: 0 }
    const { id } = await trx.insertInto('organizations').values(organization).returning('id').executeTakeFirstOrThrow()
    await app.provisionOrganization(trx, id, 0)
    for (let index = 0; index < task.slos; index += 1) {
      const slo = await insertSlo(trx, sloAt(index, id))
      await insertRevision(trx, slo, 0)
      ids.push(slo.id)
    }
    for (let index = 0; index < (task.composites ?? 0); index += 1) {
      const members = Array.from({ length: 10 }, (_, n) => ids[(index * 10 + n) % task.slos] ?? 0)
      const composite = JSON.stringify({
        method: index % 2 === 0 ? 'weighted' : 'worst',
        members: members.map((slo_id) => ({ slo_id, weight: 1 })),
        on_unknown_member: 'leave_out',
      })
      await insertRevision(trx, await insertSlo(trx, { ...sloAt(index, id), metric_query: null, composite }), 0)
    }
  })
  return ids
}

function sloAt(index: number, organization_id: number): NewSlo {
  return {
    organization_id,
    team_id: 1,
    name: `SLO ${index}`,
    description: '',
    target: 99.9,
    time_window: '30d',
    metric_type: 'availability',
    metric_query: scaleQuery(index, task.services, '5m'),
    window_method: 'auto',
    query_unit: 'auto',
    labels: '{}',
    active: 1,
    created_at: 0,
    updated_at: 0,
  }
}

/** Number of rows of each table, and bytes including indexes. */
async function listTables(): Promise<Report['tables']> {
  const { rows } = await sql<{ name: string; bytes: number }>`
    select tbl_name as name, sum(pgsize) as bytes from dbstat join sqlite_schema using (name) group by tbl_name
  `.execute(app.db.read)
  return Promise.all(
    rows.map(async ({ name, bytes }) => {
      const count = await sql<{ rows: number }>`select count(*) as rows from ${sql.table(name)}`.execute(app.db.read)
      return { name, rows: count.rows[0]?.rows ?? 0, bytes }
    }),
  )
}
