import { jest } from 'bun:test'
import { deliveryWorld } from '../notifications/delivery/delivery-world.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { closeLater } from '../support/closing.ts'
import { countedSlo, countingScript } from '../support/counting-source.ts'
import { startReceiver } from '../support/receiver.ts'
import { countedSource } from './counted-source.ts'
import { countSql, type SqlCounter } from './count-sql.ts'
import type { Counts, Table } from './counts.ts'

/** `prepare` runs before each measurement and is not counted. */
type CountOptions = { times?: number; prepare?: () => Promise<void> }

/** Counts the costs of each operation, with fixed data and a fixed clock. */
export async function countAll(): Promise<Table> {
  const sql = countSql()
  closeLater(sql.close)
  const table: Table = {}
  for (const slos of [10, 100]) Object.assign(table, await evaluations(sql, slos))
  Object.assign(table, await delivery(sql), await collection(sql))
  return table
}

const services = (count: number) => Array.from({ length: count }, (_, place) => `s${String(place).padStart(3, '0')}`)

/** Counts reads and writes of so many SLOs, each over the counters of its own service, and their evaluation rounds. */
async function evaluations(sql: SqlCounter, slos: number): Promise<Table> {
  const script = Object.fromEntries(services(slos).map((name) => [name, { total: 100, bad: 0.05 }]))
  const source = countedSource(countingScript(script))
  closeLater(source.close)
  const nines = await opened({ SOURCE_URL: source.url })
  const ids: number[] = []
  for (const name of services(slos)) ids.push((await nines.call('POST', '/api/v1/slos', countedSlo(name))).body.id)
  // A budget is not scaled where no backfill will say how old the SLO is: the alerts of budgets are there.
  for (const id of ids) await nines.call('DELETE', `/api/v1/slos/${id}/backfill`)
  const [id] = ids
  const { table, count, answer } = counterOf(sql, nines, source.requests)
  const of = `of ${slos} SLOs`
  const round = async () => {
    nines.clock.advance(60_000)
    await nines.app.evaluator.evaluateAll()
  }
  await count(`first evaluation ${of}`, round, { times: 1 })
  await round()
  await count(`evaluation ${of}, the next minute`, round)
  await count(`evaluation ${of}, the same minute`, () => nines.app.evaluator.evaluateAll())

  await answer(`list ${of}`, 'GET', '/api/v1/slos?page_size=100')
  await answer(`real-time metrics ${of}`, 'GET', '/api/v1/tsdb/real-time-metrics')
  await answer(`overview ${of}`, 'GET', '/api/v1/slos/overview')
  await answer(`availability trend ${of}`, 'GET', '/api/v1/slos/availability-trend')
  if (slos > 10) return table

  await answer('read an SLO', 'GET', `/api/v1/slos/${id}`)
  await answer('read a budget', 'GET', `/api/v1/slos/${id}/budget`)
  await answer('read burn rates', 'GET', `/api/v1/slos/${id}/burn-rates`)
  await answer('read the evaluations of an SLO', 'GET', `/api/v1/slos/${id}/evaluations`)
  await answer('read the timeline of an SLO', 'GET', `/api/v1/slos/${id}/timeline`)
  await answer('read who would be notified of an SLO', 'GET', `/api/v1/slos/${id}/recipients`)
  await answer('list alerts', 'GET', '/api/v1/notifications/alerts')
  await answer('list incidents', 'GET', '/api/v1/incidents')
  await answer('list notifications', 'GET', '/api/v1/notifications/history')
  for (const time_window of ['1h', '30d']) {
    const calculate = () => nines.call('POST', '/api/v1/tsdb/calculate-slo', { slo_id: id, time_window })
    await count(`calculate-slo, ${time_window}`, calculate, { prepare: async () => nines.clock.advance(60_000) })
    await count(`calculate-slo, ${time_window}, again`, calculate)
  }
  let made = 0
  const another = () => ({ ...countedSlo('s001'), name: `new ${(made += 1)}` })
  await count('preview', () => nines.call('POST', '/api/v1/slos/preview', countedSlo('s001')))
  await count('suggestions', () => nines.call('GET', '/api/v1/tsdb/sources/1/suggestions'), { times: 1 })
  await count('create an SLO', () => nines.call('POST', '/api/v1/slos', another()))
  await count('edit an SLO', () => nines.call('PUT', `/api/v1/slos/${id}`, another()))
  await count('delete an SLO', () => nines.call('DELETE', `/api/v1/slos/${ids.pop()}`))
  const silence = { slo_id: id, duration_seconds: 3600, comment: 'quiet' }
  await count('create a silence', () => nines.call('POST', '/api/v1/notifications/silences', silence))

  const members = ids.slice(1, 6).map((slo_id) => ({ slo_id }))
  const composite = { composite: { method: 'worst', members } }
  const body = { name: 'journey', target: 99.9, time_window: '30d', metric_type: 'availability', ...composite }
  await nines.call('POST', '/api/v1/slos', body)
  await round()
  await round()
  await count('evaluation with a composite of 5, the next minute', round)
  return table
}

async function delivery(sql: SqlCounter): Promise<Table> {
  const world = await deliveryWorld()
  closeLater(world.nines.close)
  const { table, count } = counterOf(sql, world.nines)
  const { id } = await world.channel()
  const subjects = (length: number) => Array.from({ length }, (_, place) => `message ${place}`)
  /** Stops timers while delivering, so that the number of outcomes per commit does not depend on the machine. */
  const deliver = async () => {
    jest.useFakeTimers()
    try {
      await world.delivery.run()
      await world.delivery.drain()
    } finally {
      jest.useRealTimers()
    }
  }
  await world.queue(id, subjects(1))
  await deliver()
  for (const length of [1, 100]) {
    const prepare = async () => void (await world.queue(id, subjects(length)))
    await count(`deliver ${length} through one channel`, deliver, { prepare })
  }
  return table
}

/** Counts a scrape of 100 series and queries of them. */
async function collection(sql: SqlCounter): Promise<Table> {
  let scrapes = 0
  const text = () => Array.from({ length: 100 }, (_, at) => `jobs_total{at="${at}"} ${(scrapes += 1)}\n`).join('')
  const site = startReceiver(() => new Response(text()))
  closeLater(site.close)
  const nines = await opened({ SOURCE_URL: 'embedded' })
  const target = { name: 'site', url: `${site.url}/metrics`, interval_seconds: 15 }
  await nines.call('POST', '/api/v1/embedded/targets', target)
  const { table, count, answer } = counterOf(sql, nines)
  const scrape = async () => {
    const before = site.received.length
    while (site.received.length === before) {
      nines.clock.advance(1000)
      nines.app.collector.tick()
      await nines.app.collector.drain()
    }
  }
  const flush = async () => nines.app.samples.flush()
  for (let time = 0; time < 8; time += 1) await scrape()
  await count('write what 8 scrapes of 100 series brought', flush, { times: 1 })
  await count('scrape 100 series', scrape)
  await flush()
  await count('write what one scrape brought', flush, { prepare: scrape })
  const query = `query=${encodeURIComponent('sum(rate(jobs_total[1m]))')}&time=${nines.clock.now() / 1000}`
  await answer('query 100 series', 'GET', `/embedded/prometheus/api/v1/query?${query}`)
  return table
}

async function opened(env: Record<string, string>): Promise<TestApp> {
  const nines = await testApp({ env })
  closeLater(nines.close)
  await nines.join('ada')
  return nines
}

function counterOf(sql: SqlCounter, nines: TestApp, requests?: () => number) {
  const table: Table = {}
  let written = 0
  /** Minimum of three runs: a timer may write during one of them. */
  const count = async (name: string, work: () => Promise<unknown>, options: CountOptions = {}) => {
    const { times = 3, prepare = async () => {} } = options
    const found: Required<Pick<Counts, 'statements' | 'transactions' | 'questions'>>[] = []
    for (let time = 0; time < times; time += 1) {
      await prepare()
      const before = requests?.() ?? 0
      const counts = await sql.of(nines.dataDir, work)
      found.push({ ...counts, questions: (requests?.() ?? 0) - before })
    }
    const counts: Counts = {
      statements: Math.min(...found.map(({ statements }) => statements)),
      transactions: Math.min(...found.map(({ transactions }) => transactions)),
      ...(requests && { questions: Math.min(...found.map(({ questions }) => questions)) }),
    }
    table[name] = counts
    return counts
  }
  /** Counts a read after a write, and the same read again. */
  const answer = async (name: string, method: string, path: string) => {
    const read = () => nines.call(method, path)
    const { text } = await read()
    const prepare = async () => {
      const name = `Ada ${(written += 1)}` // an equal value would be no change
      await nines.app.db.write.updateTable('users').set({ name }).where('id', '=', 1).execute()
    }
    const counts = await count(name, read, { prepare })
    counts.bytes = text.length
    await count(`${name}, again`, read)
  }
  return { table, count, answer }
}
