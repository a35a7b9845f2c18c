import { type Static, t } from 'elysia'
import type { SloRow } from '../../db/tables/tables.ts'
import { Anything, OneOf, readerOf, WholeNumber } from '../../http/schemas.ts'
import type { TierSetting } from '../arithmetic/burn-rates.ts'
import { thresholdsOf, tiersOf } from './tiers.ts'
import { windowName } from '../arithmetic/windows.ts'

const unitSeconds = new Map([
  ['m', 60],
  ['h', 3600],
  ['d', 86_400],
])

/** Window name, decoded to seconds. */
const NamedWindow = t
  .Transform(
    t.String({ pattern: '^[1-9][0-9]{0,4}[mhd]$', description: 'whole minutes, hours or days, as in 5m, 1h, 3d' }),
  )
  .Decode((name) => Number(name.slice(0, -1)) * (unitSeconds.get(name.slice(-1)) ?? 0))
  .Encode(windowName)

const SentTier = t.Object(
  {
    long_window: NamedWindow,
    short_window: NamedWindow,
    factor: t.Number({ exclusiveMinimum: 0, maximum: 1e6, description: 'a number above 0 and at most 1000000' }),
    severity: OneOf(['page', 'ticket']),
    min_events: t.Optional(WholeNumber({ min: 0, max: 1e9 })),
    enabled: t.Optional(t.Boolean({ description: 'true or false' })),
  },
  { description: 'a tier: long_window, short_window, factor, severity' },
)

const SentThreshold = t.Number({ minimum: 0, exclusiveMaximum: 100, description: 'a number from 0 and below 100' })

const lists = {
  burn_rate_tiers: t.Array(SentTier, { maxItems: 10, description: 'at most 10 tiers' }),
  budget_thresholds: t.Array(SentThreshold, { maxItems: 10, description: 'at most 10 numbers' }),
}
const readLists = readerOf(t.Partial(t.Object(lists)))
type Lists = ReturnType<typeof readLists>

/** Null restores the default. Windows are in seconds. */
export type AlertingChange = { [Name in keyof Lists]: Lists[Name] | null }

export const SentAlerting = t.Object(
  {
    burn_rate_tiers: t.Optional(Anything(t.Nullable(lists.burn_rate_tiers))), // validated below: Elysia has no nullable lists
    budget_thresholds: t.Optional(Anything(t.Nullable(lists.budget_thresholds))),
  },
  {
    title: 'AlertingUpdate',
    examples: [
      {
        burn_rate_tiers: [{ long_window: '1h', short_window: '5m', factor: 14.4, severity: 'page' }],
        budget_thresholds: [50, 10],
      },
    ],
  },
)
type SentAlerting = Static<typeof SentAlerting>

/** Validates the body; throws as a failed schema validation does. */
export function readAlerting({ burn_rate_tiers: tiers, budget_thresholds: thresholds }: SentAlerting): AlertingChange {
  const validated = readLists({ burn_rate_tiers: tiers ?? undefined, budget_thresholds: thresholds ?? undefined })
  return {
    ...validated,
    ...(tiers === null && { burn_rate_tiers: null }),
    ...(thresholds === null && { budget_thresholds: null }),
  }
}

const StoredTier = t.Object({
  long_window: t.String(),
  short_window: t.String(),
  factor: t.Number(),
  severity: t.String(),
  min_events: t.Number(),
  enabled: t.Boolean(),
})

const Tier = t.Composite([StoredTier, t.Object({ budget_percent: t.Number(), refused: t.Nullable(t.String()) })])

/** Alerting settings. `refused`: why a tier can never fire. The fastest tier and the highest threshold come first. */
export const Alerting = t.Object(
  {
    slo_id: t.Number(),
    burn_rate_tiers: t.Array(Tier),
    burn_rate_tiers_are_standard: t.Boolean(),
    budget_thresholds: t.Array(t.Number()),
    budget_thresholds_are_standard: t.Boolean(),
  },
  { title: 'Alerting' },
)

/** Tier in the shape of responses. */
export function presentTier(tier: TierSetting): Static<typeof StoredTier> {
  return {
    long_window: windowName(tier.longSeconds),
    short_window: windowName(tier.shortSeconds),
    factor: tier.factor,
    severity: tier.severity,
    min_events: tier.minEvents,
    enabled: tier.enabled,
  }
}

export function presentAlerting(slo: SloRow) {
  return {
    slo_id: slo.id,
    burn_rate_tiers: tiersOf(slo).map((tier) => ({
      ...presentTier(tier),
      budget_percent: tier.budgetPercent,
      refused: tier.refused,
    })),
    burn_rate_tiers_are_standard: slo.burn_rate_tiers === null,
    budget_thresholds: thresholdsOf(slo),
    budget_thresholds_are_standard: slo.budget_thresholds === null,
  }
}
