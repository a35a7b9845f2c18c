import { cpSync, rmSync } from 'node:fs'
import { isDatabaseDamaged } from '../../src/errors.ts'
import { seeded } from './seeded.ts'
import { newDataDir, type TestApp, testApp } from './app.ts'
import { shareWorkers } from './shared-workers.ts'

/**
 * A data folder of the embedded source after a clean stop: SLOs with 400 minutes of samples, evaluated. `truth`: the SLI of
 * each SLO.
 */
export type UsedDataDir = {
  dataDir: string
  token: string
  ids: number[]
  truth: Map<number, number | null>
  remove(): void
}

const minutes = 400
const inside = { SOURCE_URL: 'embedded', SOURCE_TIMEOUT: '60' }

/** Creates the folder. SLO n has about n % bad requests; the samples are many and irregular enough to fill pages. */
export async function usedFolder(slos: number): Promise<UsedDataDir> {
  const nines = await testApp({ env: inside })
  const token = await nines.join('ada')
  const ids: number[] = []
  const random = seeded(1)
  for (let n = 0; n < slos; n += 1) {
    const sum = (name: string) => `sum(rate(${name}{shop="${n}"}[5m]))`
    const metric_query = `${sum('good_total')} / ${sum('all_total')}`
    const slo = { name: `Shop ${n}`, target: 95, time_window: '1h', metric_type: 'availability', metric_query }
    ids.push((await nines.call('POST', '/api/v1/slos', slo)).body.id)
    const labels = (name: string) => Object.entries({ __name__: name, shop: String(n) })
    const [good, all] = [labels('good_total'), labels('all_total')]
    let [goodSum, allSum] = [0, 0]
    for (let minute = 0; minute <= minutes; minute += 1) {
      const atMs = nines.clock.now() - (minutes - minute) * 60_000
      const requests = 100 + random()
      nines.app.samples.append(1, good, atMs, (goodSum += (requests * (100 - n)) / 100))
      nines.app.samples.append(1, all, atMs, (allSum += requests))
    }
  }
  nines.app.samples.flush()
  await nines.app.evaluator.evaluateAll()
  const truth = await currents(nines, token)
  await nines.app.close()
  return { dataDir: nines.dataDir, token, ids, truth, remove: () => rmSync(nines.dataDir, { recursive: true }) }
}

/** Current SLI by SLO; empty if the request fails. */
export async function currents(nines: TestApp, token: string): Promise<Map<number, number | null>> {
  const { status, body } = await nines.call('GET', '/api/v1/tsdb/real-time-metrics', undefined, { token })
  if (status !== 200) return new Map()
  return new Map(
    body.metrics.map((one: { slo_id: number; current_value: number | null }) => [one.slo_id, one.current_value]),
  )
}

/** Starts nines on a copy of a used folder that was damaged first. Returns the error message if it refuses to start. */
export async function openDamaged(
  used: UsedDataDir,
  damage: (dataDir: string) => void,
): Promise<{ nines: TestApp } | { refused: string }> {
  const dataDir = newDataDir()
  cpSync(used.dataDir, dataDir, { recursive: true })
  damage(dataDir)
  const workers = shareWorkers()
  try {
    return { nines: await testApp({ env: inside, dataDir, workers }) }
  } catch (error) {
    await workers.close()
    rmSync(dataDir, { recursive: true })
    return { refused: error instanceof Error ? error.message : String(error) }
  }
}

/** Requests of a user and a scraper while something may be damaged. Creating a team writes to most of the tables. */
const requests = [
  ['GET', '/api/v1/slos'],
  ['GET', '/api/v1/tsdb/real-time-metrics'],
  ['GET', '/api/v1/auth/me'],
  ['GET', '/api/v1/organization'],
  ['GET', '/api/v1/notifications/alerts'],
  ['GET', '/api/v1/status/public'],
  ['GET', '/api/v1/health'],
  ['GET', '/metrics'],
  ['POST', '/api/v1/organization/teams', { name: 'Till' }],
] as const

/**
 * Faults in how nines handles damage, after it has evaluated, answered requests and checked. None if it refuses to start with
 * an explanation, answers correctly, or raises `database_damaged` and is not ready.
 */
export async function damageHandlingFaults(used: UsedDataDir, damage: (dataDir: string) => void): Promise<string[]> {
  const opened = await openDamaged(used, damage)
  if ('refused' in opened) return /\.db.*nines restore/s.test(opened.refused) ? [] : [`refused: ${opened.refused}`]
  const { nines } = opened
  const { app, call } = nines
  const faults: string[] = []
  await app.evaluator.evaluateAll().catch((error: unknown) => {
    if (!isDatabaseDamaged(error)) faults.push(`evaluation: ${String(error)}`)
  })
  let served = 0
  for (const [method, path, body] of requests) {
    const { status, text } = await call(method, path, body, { token: used.token })
    if (status < 400) served += 1
    else if (status !== 503 || !text.includes(' is damaged')) faults.push(`${method} ${path}: ${status} ${text}`)
  }
  const found = await currents(nines, used.token)
  const wrong = [...found].filter(([id, value]) => value !== null && value !== used.truth.get(id))
  if (wrong.length > 0) faults.push(`wrong numbers: ${JSON.stringify(wrong)}`)
  await app.integrity.check()
  const ready = await call('GET', '/ready', undefined, { token: null })
  const isSaid = app.conditions.list().some(({ name }) => name === 'database_damaged')
  const isAllRight = served === requests.length && Bun.deepEquals(found, used.truth)
  if (isSaid !== (ready.status === 503)) faults.push(`ready: ${ready.status} ${ready.text}`)
  if (!isSaid && !isAllRight) faults.push('not all is right, and nothing says why')
  await nines.close()
  return faults
}
