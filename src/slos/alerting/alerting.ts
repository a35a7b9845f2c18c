import type { Clock } from '../../clock.ts'
import { changedFields, recordAudit } from '../../db/audit.ts'
import type { Database } from '../../db/open.ts'
import type { SloRow } from '../../db/tables/tables.ts'
import { invalid, readAll } from '../../errors.ts'
import type { Caller } from '../../http/signed-in.ts'
import type { AlertingChange } from './model.ts'
import type { TierSetting } from '../arithmetic/burn-rates.ts'
import { recordChange } from '../changes/store.ts'
import { clearBurnRates } from '../revision-store.ts'
import { getActiveSlo, redefinedAt, updateSlo } from '../store.ts'
import { refusalOf } from '../arithmetic/tiers.ts'
import { windowName } from '../arithmetic/windows.ts'

type Deps = { db: Database; clock: Clock }

/**
 * Changes the given alerting settings of an SLO; null restores the standard. Its revision stays, since it is measured
 * as before. Returns the changed SLO.
 * Throws `invalid`, naming the tier, also for an enabled tier that can never fire.
 */
export async function changeAlerting(
  { db, clock }: Deps,
  caller: Caller,
  id: number,
  { burn_rate_tiers: tiers, budget_thresholds: thresholds }: AlertingChange,
): Promise<SloRow> {
  if (tiers === undefined && thresholds === undefined) {
    throw invalid('body', 'must have burn_rate_tiers, budget_thresholds or both')
  }
  const { organizationId } = caller
  return db.write.transaction().execute(async (trx) => {
    const slo = await getActiveSlo(trx, organizationId, id)
    const [burn_rate_tiers, budget_thresholds] = readAll(
      () => tiers && JSON.stringify(readTiers(tiers, slo)),
      () => thresholds && JSON.stringify(readThresholds(thresholds)),
    )
    const changes = {
      ...(burn_rate_tiers === undefined ? {} : { burn_rate_tiers }),
      ...(budget_thresholds === undefined ? {} : { budget_thresholds }),
    }
    const updated_at = clock.now()
    const changed = changedFields<SloRow>(slo, changes)
    const redefined_at = redefinedAt(slo, changed, updated_at)
    await updateSlo(trx, organizationId, id, { ...changes, updated_at, redefined_at })
    if (tiers !== undefined) await clearBurnRates(trx, id)
    const details = { slo_id: id, name: slo.name, changed }
    const changedSlo = { ...slo, ...changes, updated_at, redefined_at }
    if (changed.length > 0) {
      await recordChange(trx, caller, 'changed', slo, changedSlo, updated_at)
      await recordAudit(trx, caller, { event: 'slo_changed', details }, updated_at)
    }
    return changedSlo
  })
}

/** Longest window of a tier, which the stored sums of minutes must cover. */
const maxSeconds = 72 * 3600

type SentTier = NonNullable<AlertingChange['burn_rate_tiers']>[number]

function readTiers(sent: SentTier[], slo: SloRow): TierSetting[] {
  const usedWindows = new Set<string>()
  const tiers = readAll(...sent.map((one, at) => () => readTier(one, `burn_rate_tiers.${at}`, slo, usedWindows)))
  return tiers.toSorted((a, b) => a.longSeconds - b.longSeconds || a.shortSeconds - b.shortSeconds)
}

function readTier(one: SentTier, field: string, slo: SloRow, usedWindows: Set<string>): TierSetting {
  const tier: TierSetting = {
    severity: one.severity,
    longSeconds: one.long_window,
    shortSeconds: one.short_window,
    factor: one.factor,
    minEvents: one.min_events ?? 0,
    enabled: one.enabled ?? true,
  }
  if (tier.longSeconds > maxSeconds) {
    throw invalid(`${field}.long_window`, `must be at most ${windowName(maxSeconds)}`)
  }
  if (tier.shortSeconds >= tier.longSeconds) throw invalid(`${field}.short_window`, 'must be shorter than long_window')
  const pair = `${tier.longSeconds} ${tier.shortSeconds}`
  if (usedWindows.has(pair)) throw invalid(field, 'another tier already has these windows')
  usedWindows.add(pair)
  const refusal = tier.enabled ? refusalOf(tier, slo) : null
  if (refusal) throw invalid(`${field}.${refusal.field}`, `this tier can never fire: ${refusal.reason}`)
  return tier
}

function readThresholds(sent: number[]): number[] {
  if (new Set(sent).size < sent.length) throw invalid('budget_thresholds', 'must have each number once')
  return sent.toSorted((a, b) => b - a)
}
