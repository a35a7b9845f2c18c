import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { askDirectly, availabilityQuery } from './direct-query.ts'
import { type Replay, startReplay } from './replay.ts'
import { seeded } from './seeded.ts'
import { startTimedNines, type TimedNines } from './timed-nines.ts'
import {
  averagedBudget,
  budgetOf,
  type Check,
  printBurnRates,
  printBudgets,
  watchedWindows,
} from './rolling-window-table.ts'

const minute = 60
const checkEverySeconds = 600
const targetPercent = 99.9
const account = { email: 'ada@example.com', name: 'Ada', password: 'correct horse', organization_name: 'Ada Inc' }

type Watched = { id: number; service: string; own: keyof typeof watchedWindows }

/**
 * Writes the last hours of the kit's data to a real Prometheus minute by minute while nines evaluates each minute. Both are
 * killed and restarted meanwhile. `program`: path of a Prometheus other than the installed one.
 */
export function testRollingWindows({ liveHours, program }: { liveHours: number; program?: string }) {
  let replay: Replay
  let nines: TimedNines
  let token = ''
  const dataDir = mkdtempSync(join(tmpdir(), 'nines-rolling-window-'))
  const watched: Watched[] = []
  const budgets: Check[] = []
  const burnRates: Check[] = []
  const counts = { minutes: 0, ninesKilled: 0, minutesMissed: 0, prometheusKilled: 0 }
  const tiers: { service: string; firing: boolean | null; long: number | null }[] = []

  beforeAll(async () => {
    replay = await startReplay({ liveHours, program })
    await play()
  }, 400_000)
  afterAll(async () => {
    await nines?.kill()
    await replay?.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }, 30_000)

  async function start(atSeconds: number): Promise<void> {
    nines = await startTimedNines({ dataDir, nowMs: atSeconds * 1000, env: { SOURCE_URL: replay.url }, token })
  }

  async function setUp(atSeconds: number): Promise<void> {
    await start(atSeconds)
    token = (await nines.call('POST', '/api/v1/auth/register', account)).body.access_token
    await nines.kill()
    await start(atSeconds)
    for (const service of Object.keys(replay.truth.services)) {
      for (const own of ['24h', '7d', '30d'] as const) {
        const slo = { name: service, target: targetPercent, time_window: own, metric_type: 'availability' }
        const sent = { ...slo, metric_query: availabilityQuery(service, '5m') }
        const { body } = await nines.call('POST', '/api/v1/slos', sent)
        watched.push({ id: body.id, service, own })
      }
    }
  }

  async function play(): Promise<void> {
    const random = seeded(11)
    const first = Math.ceil(replay.liveFrom / minute) * minute + 30 * minute
    await replay.advanceTo(first)
    await setUp(first)
    for (let at = first; at <= replay.now; at += minute) {
      await replay.advanceTo(at)
      counts.minutes += 1
      if (random() < 1 / 120) {
        await replay.restartPrometheus()
        counts.prometheusKilled += 1
      }
      const isKilled = random() < 1 / 30
      const evaluating = nines.evaluateAt(at * 1000 + 6000)
      if (isKilled) {
        await Promise.race([evaluating, Bun.sleep(random() * 120)])
        await nines.kill()
        counts.ninesKilled += 1
        const away = Math.floor(random() * 20)
        at += away * minute
        counts.minutesMissed += away
        await replay.advanceTo(Math.min(at, replay.now))
        await start(at)
        continue
      }
      const evaluations = await evaluating
      // At the first evaluation the ledger has no history yet: the backfill runs after it.
      const isDue = at > first && at < replay.now && (at - first) % checkEverySeconds === 0
      if (evaluations && isDue) await check(at, evaluations)
    }
    await replay.advanceTo(replay.now)
    await check(replay.now, (await nines.evaluateAt(replay.now * 1000 + 7000)) ?? [])
  }

  type Evaluations = NonNullable<Awaited<ReturnType<TimedNines['evaluateAt']>>>

  async function check(at: number, evaluations: Evaluations): Promise<void> {
    const bySlo = new Map(evaluations.map((evaluation) => [evaluation.sloId, evaluation]))
    for (const { id, service, own } of watched) {
      const evaluation = bySlo.get(id)
      if (!evaluation) throw new Error(`${service} was not evaluated`)
      const ask = (seconds: number) => askDirectly(replay.url, availabilityQuery(service, `${seconds}s`), at)
      const direct = budgetOf(await ask(watchedWindows[own]), targetPercent)
      budgets.push({ at, service, window: own, direct, nines: evaluation.budgetUsed })
      if (own !== '30d') continue
      for (const rate of evaluation.burnRates) {
        tiers.push({ service, firing: rate.firing, long: rate.long })
        for (const [seconds, said] of [
          [rate.long_seconds, rate.long],
          [rate.short_seconds, rate.short],
        ] as const) {
          const sli = await ask(seconds)
          const burning = sli === null ? null : (1 - sli) / (1 - targetPercent / 100)
          burnRates.push({ at, service, window: `${seconds / 60}m`, direct: burning, nines: said })
        }
      }
    }
  }

  test('equal a direct query over the same window within 0.5 % of itself at every check', async () => {
    const averaged = await averagedBudget(replay.url, replay.now, Object.keys(replay.truth.services), targetPercent)
    printBudgets(budgets, replay, averaged, counts)
    const off = budgets.filter(({ direct, nines: said }) => !isNear(direct, said, 0.005))
    expect(off).toEqual([])
    expect(budgets.length).toBeGreaterThan(113 * liveHours)
    expect(counts.ninesKilled).toBeGreaterThan(liveHours)
    expect(counts.prometheusKilled).toBeGreaterThanOrEqual(liveHours / 5)
  }, 30_000)

  test('are true wherever a direct query is', () => {
    const assessed = budgets.filter(({ at }) => at === replay.now)
    const truth = ({ service, window }: Check) =>
      budgetOf(replay.truth.services[service]?.evals[replay.now]?.[window as '24h'].sli ?? null, targetPercent)
    const known = assessed.filter((one) => truth(one) !== null && isNear(truth(one), one.direct, 0.01))
    expect(known.length).toBeGreaterThan(18)
    expect(known.filter((one) => !isNear(truth(one), one.nines, 0.012))).toEqual([])
  })

  test('burn rates from the ledger agree with direct queries within 1 % where there is data, and freeze elsewhere', () => {
    printBurnRates(burnRates)
    expect(burnRates.filter(({ direct, nines: said }) => said !== null && !isNear(direct ?? 0, said, 0.01))).toEqual([])
    const firingOf = (name: string) =>
      new Set(tiers.flatMap(({ service, firing }) => (service === name ? [firing] : [])))
    expect(firingOf('ghost')).toEqual(new Set([null])) // it has stopped reporting
    expect(firingOf('idle')).toEqual(new Set([false])) // it reports zero traffic
    expect(firingOf('payments')).toContain(true)
  })
}

/** Compares relatively, except for differences below a millionth of the whole budget. */
function isNear(direct: number | null, said: number | null, share: number): boolean {
  if (direct === null || said === null) return direct === said
  return Math.abs(direct - said) <= Math.max(share * Math.abs(direct), 1e-4)
}
