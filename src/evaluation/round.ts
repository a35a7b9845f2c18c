import { type Clock, hourMs, minuteStartSeconds } from '../clock.ts'
import { inChunks } from '../concurrency/chunks.ts'
import type { Config } from '../config.ts'
import { aroundDamage } from '../db/failures/damage.ts'
import type { Seal } from '../db/sealing/seal.ts'
import type { DataSourceRow, SloRow } from '../db/tables/tables.ts'
import { AppError } from '../errors.ts'
import { type ClosedMemory, closeBuckets } from '../ledger/close.ts'
import { familyText } from '../ledger/counters/families.ts'
import type { Log } from '../log.ts'
import type { PlannedSlo } from '../sli/plan/plan.ts'
import { allSettledOrThrow } from '../sources/query-session.ts'
import { embeddedUrl } from '../sources/embedded-source.ts'
import { failingSource, type Source, type SourceOpener } from '../sources/source.ts'
import { openOrFailing } from '../sources/store.ts'
import { type Evaluated, evaluateChunk, type EvaluateDeps } from './evaluate.ts'
import { evaluateComposites } from './evaluate-composites.ts'
import { type Evaluation, type SourceSlos, onlyActive } from './evaluation-store.ts'

export type RoundDeps = Omit<EvaluateDeps, 'memory'> & {
  /** Clock that times the rounds; the wall clock may be set during a round. */
  stopwatch: Clock
  log: Log
  seal: Seal
  opener: SourceOpener
  config: Pick<Config, 'evaluationIntervalSeconds'>
  isClosing: () => boolean
  /** Called after the evaluations of a chunk are committed, with the time that the chunk took. */
  onStored: (evaluations: Evaluation[], seconds: number) => void
  /** Called after SLOs of a source were evaluated together; `answered`: the source answered for any of them. */
  onAnswer?: (sourceId: number, answered: boolean) => void
}

/** State kept from one round to the next. */
export type RoundState = {
  memory: EvaluateDeps['memory']
  /** Parts of rounds that are under way, by key, until each has ended. */
  running: Map<string, Promise<unknown>>
  /** SLOs that failed when queried with others, and until when they are queried alone, by the stopwatch. */
  isolatedUntilMs: Map<number, number>
  closed: ClosedMemory
}

type Round = {
  kind: 'all' | 'new' | 'probed' | 'requested'
  groups: SourceSlos[]
  /** Start, by the stopwatch, of chunks that are spread over the interval; `immediately`: all begin at once. */
  startMs: number
  /** Called for a source whose last round of this kind is under way, which is then skipped; null: this round waits for it. */
  onBusy: ((sourceName: string) => void) | null
}

/**
 * Times by the stopwatch. `startMs`: start of the first chunk. `spreadMs`: duration over which chunks start. `deferAfterMs`: time
 * from which queries that can wait are left to a later round.
 */
type Times = { startMs: number; spreadMs: number; deferAfterMs: number }

/** Part of a round: SLOs of a source, in the chunks in which they are evaluated. */
type Part = { key: string; source: DataSourceRow | null; chunks: SloRow[][]; times: Times }

/** An opened source; once it counts as silent, it is not queried for the rest of the round. `origin`: its id, URL and credentials. */
type Opened = { source: Source; origin: string; isEmbedded: boolean; silentChunks: number }

const chunkSize = 250
const concurrentChunks = 2
const closeBatchSize = 50
const closeSpreadMinutes = 20 // spreads the closing of hours, which all end together
const isolationMs = hourMs
const maxQuickMs = 5000 // an SLO evaluated alone in less time can be queried with others again
export const sampleDelayMs = 5000 // samples of the last seconds may not have arrived yet
const spreadRatio = 0.8 // of the evaluation interval
const deferRatio = 0.9 // of the evaluation interval
export const immediately = -Infinity

/**
 * Evaluates SLOs, each source independently. A source whose last round is still under way is skipped, or waited for if `onBusy`
 * is null. Begins nothing once the app is closing. Returns the stored evaluations.
 */
export async function runRound(deps: RoundDeps, state: RoundState, round: Round): Promise<Evaluation[]> {
  await deps.planner.planAll(round.groups.flatMap(({ slos }) => slos))
  const composites = round.groups.flatMap(({ slos }) => slos.filter(isComposite))
  const groups = round.groups.map((group) => ({ ...group, slos: group.slos.filter((slo) => !isComposite(slo)) }))
  const parts = partsOf(deps, state, { ...round, groups })
  const members = Promise.all(parts.map((part) => runPart(deps, state, part, round.onBusy)))
  if (composites.length === 0) return (await members).flat()
  if (round.startMs === immediately) await members
  else await Promise.race([members, waitUntil(deps, compositesDueMs(deps, round.startMs))]) // a source may hang
  const computed = await runComposites(deps, state, composites, round)
  return [...(await members).flat(), ...computed]
}

const isComposite = ({ composite }: SloRow) => composite !== null

/** Time, by the stopwatch, at which composites are evaluated although some of their members may not be. */
function compositesDueMs({ config }: RoundDeps, startMs: number): number {
  return startMs + deferRatio * config.evaluationIntervalSeconds * 1000
}

/** Evaluates composites together. If those of the last round of this kind are still under way, they are left to the next. */
async function runComposites(
  deps: RoundDeps,
  state: RoundState,
  composites: SloRow[],
  { kind, onBusy }: Round,
): Promise<Evaluation[]> {
  const key = `${kind} composites`
  if (state.running.has(key)) onBusy?.('none')
  if (state.running.has(key)) return []
  const run = async () => {
    if (deps.isClosing()) return []
    const slos = (await Promise.all(inChunks(composites, chunkSize).map((chunk) => withoutDeleted(deps, chunk)))).flat()
    const beganMs = deps.stopwatch.now()
    const atSeconds = minuteStartSeconds(deps.clock.now() - sampleDelayMs)
    const evaluations = await evaluateComposites({ ...deps, memory: state.memory }, slos, atSeconds)
    deps.onStored(evaluations, (deps.stopwatch.now() - beganMs) / 1000)
    return evaluations
  }
  const running = run().finally(() => state.running.delete(key))
  state.running.set(key, running)
  return running
}

/** Divides a round: for each source its SLOs together, and the isolated ones one by one. Sources begin one after the other. */
function partsOf(deps: RoundDeps, { isolatedUntilMs }: RoundState, { kind, groups, startMs }: Round): Part[] {
  const { planner, stopwatch, config } = deps
  const intervalMs = config.evaluationIntervalSeconds * 1000
  const spreadMs = spreadRatio * intervalMs
  const deferAfterMs = startMs === immediately ? Infinity : startMs + deferRatio * intervalMs
  const nowMs = stopwatch.now()
  const isIsolated = ({ id }: SloRow) => (isolatedUntilMs.get(id) ?? 0) > nowMs
  return groups.flatMap(({ source, slos }, index): Part[] => {
    const times = { startMs: startMs + (index / groups.length) * spreadMs, spreadMs, deferAfterMs }
    const key = `${kind} ${source?.id ?? 'none'}`
    const together = slos.filter((slo) => !isIsolated(slo)).map(planner.plan)
    const isolated = slos.filter(isIsolated).map((slo) => [slo])
    return [
      { key, source, times, chunks: chunksOf(together) },
      { key: `${key} isolated`, source, times, chunks: isolated },
    ]
  })
}

/** Divides SLOs into chunks; those that can share queries are next to each other. */
function chunksOf(planned: PlannedSlo[]): SloRow[][] {
  const keyOf = ({ slo, plan }: PlannedSlo) => {
    const terms = [...(plan.counters?.counted ?? []), ...(plan.counters?.total ?? [])]
    return `${slo.time_window} ${terms.map(({ counter }) => familyText(counter)).join(' ')}`
  }
  const sorted = planned
    .map((one) => ({ slo: one.slo, key: keyOf(one) }))
    .toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : a.slo.id - b.slo.id))
  return inChunks(
    sorted.map(({ slo }) => slo),
    chunkSize,
  )
}

async function runPart(deps: RoundDeps, state: RoundState, part: Part, onBusy: Round['onBusy']): Promise<Evaluation[]> {
  if (part.chunks.length === 0) return []
  for (let last = state.running.get(part.key); last; last = state.running.get(part.key)) {
    if (onBusy) {
      onBusy(part.source?.name ?? 'none')
      return []
    }
    await Promise.allSettled([last])
  }
  const run = runChunks(deps, state, part).finally(() => state.running.delete(part.key))
  state.running.set(part.key, run)
  return run
}

/** Runs two chunks at a time, so that the source works while nines does. */
async function runChunks(deps: RoundDeps, state: RoundState, part: Part): Promise<Evaluation[]> {
  const { chunks, times } = part
  const opened = openSource(deps, part.source)
  const evaluations: Evaluation[] = []
  const waiting = chunks.entries() // shared: each `work` takes the next chunk
  const work = async () => {
    for (const [index, chunk] of waiting) {
      await waitUntil(deps, times.startMs + (index / chunks.length) * times.spreadMs)
      if (deps.isClosing()) return
      const slos = await withoutDeleted(deps, chunk)
      if (slos.length === 0) continue
      const delays = { deferAfterMs: times.deferAfterMs, closeDelayMinutes: index % closeSpreadMinutes }
      const done = await evaluateAndClose(deps, state, opened, slos, delays)
      evaluations.push(...done.evaluations)
      noteAnswer(deps, part.source, opened, done, chunk.length)
    }
  }
  await allSettledOrThrow(Array.from({ length: concurrentChunks }, work)) // both must end before another round may begin
  return evaluations
}

function openSource(deps: RoundDeps, row: DataSourceRow | null): Opened {
  if (row === null)
    return { source: failingSource('none', noSource()), origin: 'none', isEmbedded: false, silentChunks: 0 }
  const origin = `${row.id} ${row.api_url} ${Bun.hash(row.sealed_auth ?? '')}`
  return { source: openOrFailing(deps, row), origin, isEmbedded: row.api_url === embeddedUrl, silentChunks: 0 }
}

function noSource(): AppError {
  return new AppError('source_unavailable', 'No active metrics source', {
    details: 'an administrator can add one',
  })
}

async function waitUntil({ stopwatch, isClosing }: RoundDeps, timeMs: number): Promise<void> {
  while (!isClosing() && stopwatch.now() < timeMs) await Bun.sleep(Math.min(1000, timeMs - stopwatch.now()))
}

/** Drops SLOs that were deleted since they were listed: the round may have begun long ago. */
async function withoutDeleted({ db }: RoundDeps, chunk: SloRow[]): Promise<SloRow[]> {
  return aroundDamage(
    chunk,
    (slos) => onlyActive(db.read, slos),
    () => [],
  )
}

async function evaluateAndClose(
  deps: RoundDeps,
  state: RoundState,
  { source, origin, isEmbedded }: Opened,
  slos: SloRow[],
  { deferAfterMs, closeDelayMinutes }: Record<'deferAfterMs' | 'closeDelayMinutes', number>,
): Promise<Evaluated> {
  const { clock, stopwatch, planner, onStored } = deps
  const atSeconds = minuteStartSeconds(clock.now() - sampleDelayMs)
  const planned = slos.map(planner.plan)
  const hasTime = () => stopwatch.now() < deferAfterMs
  const beganMs = stopwatch.now()
  const chunk = { source, origin, isEmbedded, planned, atSeconds, hasTime }
  const done = await evaluateChunk({ ...deps, memory: state.memory }, chunk)
  const tookMs = stopwatch.now() - beganMs
  onStored(done.evaluations, tookMs / 1000)
  if (done.isSilent) return done
  const failedIds = new Set(done.evaluations.flatMap(({ isFailed: failed, sloId }) => (failed ? [sloId] : [])))
  updateIsolation(deps, state, slos, failedIds, tookMs)
  const answered = planned.filter(({ slo }) => !failedIds.has(slo.id))
  await closeHours({ ...deps, closed: state.closed }, answered, source, atSeconds - 60 * closeDelayMinutes)
  return done
}

/** Isolates SLOs that failed among others: they are evaluated alone for an hour, or until that is quick. */
function updateIsolation(
  { stopwatch }: RoundDeps,
  { isolatedUntilMs }: RoundState,
  slos: SloRow[],
  failed: Set<number>,
  tookMs: number,
): void {
  const [first, ...others] = slos
  if (others.length > 0) for (const sloId of failed) isolatedUntilMs.set(sloId, stopwatch.now() + isolationMs)
  else if (first && failed.size === 0 && tookMs < maxQuickMs) isolatedUntilMs.delete(first.id)
}

type CloseDeps = RoundDeps & Pick<RoundState, 'closed'>

async function closeHours(deps: CloseDeps, planned: PlannedSlo[], source: Source, atSeconds: number): Promise<void> {
  const close = (batch: PlannedSlo[]) => closeBuckets(deps, batch, source, atSeconds).then(() => [])
  // Damaged rows stay open; the damage is reported as a condition.
  for (const batch of inChunks(planned, closeBatchSize)) await aroundDamage(batch, close, () => [])
}

/**
 * Notes the answer or silence of a source. A single SLO may be the cause itself: then two chunks in a row must be silent before the
 * source counts as silent.
 */
function noteAnswer(
  { onAnswer }: RoundDeps,
  row: DataSourceRow | null,
  opened: Opened,
  { evaluations, isSilent }: Evaluated,
  chunkLength: number,
): void {
  opened.silentChunks = isSilent ? opened.silentChunks + 1 : 0
  if (row && evaluations.length > 0) onAnswer?.(row.id, !isSilent)
  if (isSilent && (chunkLength > 1 || opened.silentChunks > 1)) {
    const message = evaluations[0]?.message ?? 'Metrics source did not answer'
    opened.source = failingSource(opened.source.name, new AppError('source_unavailable', message))
  }
}
