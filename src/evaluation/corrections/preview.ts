import { inChunks } from '../../concurrency/chunks.ts'
import type { CorrectionRow, SloRow, StateRow } from '../../db/tables/tables.ts'
import type { Caller } from '../../http/signed-in.ts'
import { minute } from '../../ledger/bucket.ts'
import { masksOf } from '../../ledger/excluded/masks.ts'
import { sumWindows } from '../../ledger/window-sums.ts'
import { finestStoredResolution } from '../../ledger/window-spans.ts'
import { errorBudget, round10 } from '../../slos/arithmetic/budget.ts'
import { ownWindow } from '../../slos/arithmetic/own-window.ts'
import { createMatcher } from '../../slos/corrections/matching.ts'
import { listMatched } from '../../slos/corrections/store.ts'
import { gapsIn, secondsOf } from '../../slos/corrections/spans.ts'
import { listStatesOf } from '../state-store.ts'
import { exclusionRulesOf } from './apply-corrections.ts'
import type { CorrectionDeps } from './corrections.ts'
import { type CorrectionCreation, resolutionName } from './model.ts'
import { readCovered, readTimes } from './read-correction.ts'

const maxSlos = 50
const maxSpans = 500

/** Budgets of at most 50 SLOs that a correction would cover, as they are and as they would be; stores nothing. Throws `invalid`. */
export async function previewCorrection(deps: CorrectionDeps, { organizationId }: Caller, sent: CorrectionCreation) {
  const { db, clock, config } = deps
  const nowMs = clock.now()
  const covered = await readCovered(db.read, organizationId, sent)
  const times = readTimes(sent, nowMs, config.retentionDays)
  const row: CorrectionRow = {
    ...covered,
    ...times,
    id: 0,
    organization_id: organizationId,
    category: sent.category,
    text: '',
    silence_id: null,
    created_by: null,
    created_at: nowMs,
    updated_at: nowMs,
  }
  const slos = (await listMatched(db.read, organizationId)).filter(createMatcher(row))
  const states = await listStatesOf(
    db.read,
    slos.slice(0, maxSlos).map(({ id }) => id),
  )
  const presented = []
  for (const one of states) presented.push(await previewOf(deps, one, row))
  return { slos: presented, slo_count: slos.length }
}

async function previewOf(
  { db, clock }: CorrectionDeps,
  { slo, state }: { slo: SloRow; state: StateRow | null },
  row: CorrectionRow,
) {
  const masks = await masksOf(db)
  const nowSeconds = Math.floor(clock.now() / 1000)
  const endSeconds = Math.floor((state?.measured_at ?? clock.now()) / 1000)
  const window = { startSeconds: ownWindow(slo, endSeconds).startSeconds, endSeconds }
  const excludedSpans = masks.spansBy(masks.textOf(slo.id), window)
  const added = masks
    .spansBy(await exclusionRulesOf(db, slo, { and: row }), window)
    .flatMap((span) => gapsIn(excludedSpans, span))
  const key = { sloId: slo.id, revision: slo.revision }
  const parts = added.slice(-maxSpans).map((span) => ({ ...key, ...span, keepsLead: true }))
  const [own, ...sums] = [
    ...(await sumWindows(db.read, [{ ...key, ...window }], nowSeconds)),
    ...(await Promise.all([...inChunks(parts, 100)].map((some) => sumWindows(db.read, some, nowSeconds)))).flat(),
  ]
  const excluded = sums.reduce((sum, { good, total }) => ({ good: sum.good + good, total: sum.total + total }), {
    good: 0,
    total: 0,
  })
  // only buckets at the edges of a span may be excluded in part
  const edges = added.flatMap((span) => [span.startSeconds, span.endSeconds])
  const coarsest = edges.reduce((max, at) => {
    const resolution = finestStoredResolution(at, nowSeconds)
    return at % resolution === 0 ? max : Math.max(max, resolution)
  }, minute as number)
  const total = state?.total_events ?? own?.total ?? 0
  const good = state?.own_value ? (total * state.own_value) / 100 : 0 // events are stored rounded, the SLI is not
  const remaining = { good: Math.max(0, good - excluded.good), total: total - excluded.total }
  const sli = state?.own_value ?? null
  const corrected =
    excluded.total === 0 ? sli : remaining.total > 0 ? Math.min(100, (100 * remaining.good) / remaining.total) : null
  return {
    slo_id: slo.id,
    slo_name: slo.name,
    seconds: secondsOf(added),
    excluded_good: round10(excluded.good),
    excluded_total: round10(excluded.total),
    resolution: resolutionName(coarsest),
    sli: round10(sli),
    sli_corrected: round10(corrected),
    percentage_used: errorBudget(sli, slo.target).percentageUsed,
    percentage_used_corrected: errorBudget(corrected, slo.target).percentageUsed,
  }
}
