import { type Static, t } from 'elysia'
import { isoTime } from '../../clock.ts'
import { OneOf } from '../../http/schemas.ts'
import { picksOf } from '../../sli/picks.ts'
import { completeDefinition } from '../../slos/definition.ts'
import { MaybePicks } from '../../slos/picks-model.ts'
import type { Suggestion } from './suggestion.ts'
import type { SuggestionResult } from './suggestions.ts'

const MaybeNumber = t.Nullable(t.Number())

/** Body of `POST /slos` and `POST /slos/preview`. */
const SuggestedSlo = t.Object(
  {
    name: t.String(),
    target: t.Number({ description: 'the suggested one, or one to begin with, in percent' }),
    time_window: t.String(),
    metric_type: OneOf(['availability', 'latency']),
    source_id: t.Number(),
    metric_query: t.Optional(t.String()),
    good_query: t.Optional(t.String()),
    bad_query: t.Optional(t.String()),
    total_query: t.Optional(t.String()),
  },
  { title: 'SuggestedSlo', description: 'as POST /slos and POST /slos/preview take it' },
)

const SuggestionFields = t.Object(
  {
    key: t.String({ description: 'names the suggestion among those of its source' }),
    kind: OneOf(['availability', 'latency', 'probe', 'up']),
    metric: t.String(),
    label: t.Nullable(t.String({ description: 'the label that distinguishes services' })),
    value: t.Nullable(t.String()),
    failing_label: t.Nullable(t.String({ description: 'the label that says which events failed' })),
    limit_seconds: t.Nullable(
      t.Number({ description: 'of a latency: the bound in seconds that a good request meets' }),
    ),
    limits_seconds: t.Array(t.Number(), { description: 'of a latency: the bounds that its histogram has' }),
    slo: SuggestedSlo,
    picks: MaybePicks,
    suggested_target: t.Nullable(
      t.Number({ description: 'percent; never above what the past reached; null: the past suggests none' }),
    ),
    reached_percent: t.Nullable(
      t.Number({ description: 'the SLI of the last 30 days in percent; where less is known, of that' }),
    ),
    reason: t.String({ description: 'why this target, or none' }),
    days: t.Array(MaybeNumber, { description: 'the SLI of each day of the past in percent, the last one ends now' }),
    events_per_day: t.Nullable(
      t.Number({ description: 'how many events a day has; null where time is measured, or the past is not known' }),
    ),
    slo_id: t.Nullable(t.Number({ description: 'an active SLO that has these queries already' })),
  },
  { title: 'Suggestion' },
)

export const SuggestionsResponse = t.Object(
  {
    source_id: t.Number(),
    source_name: t.String(),
    looked_at: t.String({ description: 'when the source was asked' }),
    metrics_found: t.Number({ description: 'how many metrics of known families there are, with traffic or without' }),
    suggestions: t.Array(SuggestionFields, { maxItems: 20 }),
    gaps: t.Array(t.Object({ metric: t.Nullable(t.String()), message: t.String() }), {
      description: 'what could not be found out; suggestions may be missing',
    }),
  },
  { title: 'Suggestions' },
)

export function presentSuggestions(
  source: { id: number; name: string },
  { queriedAtMs, metricsFound, suggestions, gaps }: SuggestionResult,
  sloOf: (suggestion: Suggestion) => number | null,
): Static<typeof SuggestionsResponse> {
  return {
    source_id: source.id,
    source_name: source.name,
    looked_at: isoTime(queriedAtMs),
    metrics_found: metricsFound,
    suggestions: suggestions.map((one) => ({
      key: one.key,
      kind: one.kind,
      metric: one.metric,
      label: one.label,
      value: one.value,
      failing_label: one.failingLabel,
      limit_seconds: one.limitSeconds,
      limits_seconds: one.limitsSeconds,
      slo: {
        name: one.name,
        target: one.suggested.start,
        time_window: one.window,
        metric_type: one.kind === 'latency' ? ('latency' as const) : ('availability' as const),
        source_id: source.id,
        ...one.queries,
      },
      picks: picksOf(completeDefinition(one.queries)),
      suggested_target: one.suggested.target,
      reached_percent: one.sliPercent,
      reason: one.suggested.reason,
      days: one.daysPercent,
      events_per_day: one.eventsPerDay,
      slo_id: sloOf(one),
    })),
    gaps,
  }
}
