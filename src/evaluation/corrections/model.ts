import { type Static, t } from 'elysia'
import { isoTime, isoTimeOrNull } from '../../clock.ts'
import { PageFields, PageQuery } from '../../http/paging.ts'
import { Anything, BodyId, OneOf, Text, TimeZone, WholeNumber } from '../../http/schemas.ts'
import { zonedTimeText } from '../../http/zoned-time.ts'
import { categories, type NamedCorrection } from '../../slos/corrections/store.ts'
import { parseLabels } from '../../slos/labels.ts'
import { Labels } from '../../slos/model.ts'

export const maxSloIds = 200
export const maxDurationSeconds = 7 * 86_400

const Time = t.String({ maxLength: 40, description: zonedTimeText })

const covered = {
  slo_ids: t.Optional(t.Array(BodyId('SLO'), { minItems: 1, maxItems: maxSloIds })),
  team_id: t.Optional(BodyId('team')),
  labels: t.Optional(Anything(Labels)), // read by readLabels: Elysia changes records before they get here
}

const times = {
  from: t.Optional(Time),
  to: t.Optional(Time),
  rrule: t.Optional(Text({ max: 200 })),
  duration_seconds: t.Optional(WholeNumber({ min: 60, max: maxDurationSeconds })),
  time_zone: t.Optional(TimeZone),
}

const example = {
  slo_ids: [1],
  from: '2026-11-19T10:00:00Z',
  to: '2026-11-19T10:40:00Z',
  category: 'planned_maintenance',
  text: 'Moving the database',
}

const text = t.Optional(Text({ min: 0, max: 1000, lines: 'many' }))

export const CorrectionCreation = t.Object(
  {
    ...covered,
    ...times,
    from: Time,
    category: OneOf(categories),
    text,
    hold_alerts: t.Optional(
      t.Boolean({ description: 'true or false; true also creates a silence of the alerts for this time' }),
    ),
  },
  { title: 'CorrectionCreation', examples: [example] },
)

export const CorrectionUpdate = t.Object(
  { ...times, category: t.Optional(OneOf(categories)), text },
  { title: 'CorrectionUpdate', examples: [{ to: '2026-11-19T11:00:00Z' }] },
)

export type CorrectionCreation = Static<typeof CorrectionCreation>
export type CorrectionUpdate = Static<typeof CorrectionUpdate>

export const CorrectionListQuery = t.Object({ ...PageQuery, category: t.Optional(OneOf(categories)) })

const MaybeText = (description: string) => t.Nullable(t.String({ description }))

const Correction = t.Object(
  {
    id: t.Number(),
    slo_ids: t.Nullable(t.Array(t.Number()), {
      description: 'the SLOs that it covers; null: those of the team, or with the labels',
    }),
    team_id: t.Nullable(t.Number(), {
      description: 'it covers the SLOs of this team; null: those of slo_ids, or with the labels',
    }),
    labels: t.Nullable(t.Record(t.String(), t.String()), {
      description: 'it covers the SLOs with all of these labels; null: those of slo_ids or of the team',
    }),
    from: t.String({ description: 'its start; with a rule, the start of its first time' }),
    to: MaybeText('its end; null: it recurs by a rule'),
    rrule: MaybeText('the rule by which it recurs (RFC 5545); null: it does not recur'),
    duration_seconds: t.Nullable(t.Number({ description: 'how long each of its times is; null: it does not recur' })),
    time_zone: MaybeText('the zone of the rule (IANA name); null: it does not recur'),
    category: OneOf(categories),
    text: t.String({ description: 'empty: none' }),
    silence_id: t.Nullable(t.Number({ description: 'the silence that was created with it; null: none' })),
    created_by: t.Nullable(t.Number()),
    created_by_name: t.Nullable(t.String()),
    created_at: t.String(),
    updated_at: t.String(),
  },
  { title: 'Correction' },
)

const success = t.Literal(true)
export const CorrectionAnswer = t.Object({ success, data: Correction }, { title: 'CorrectionAnswer' })
export const ChangedCorrection = t.Object({
  success,
  message: t.String(),
  data: Correction,
  slo_count: t.Number({ description: 'how many active SLOs it covers now' }),
})
export const DeletedCorrection = t.Object({ success, message: t.String() })
export const CorrectionList = t.Object(
  { success, corrections: t.Array(Correction), ...PageFields },
  { title: 'CorrectionList' },
)

const MaybePercent = (description: string) =>
  t.Nullable(t.Number({ description: `percent; null: not known. ${description}` }))
const resolution = OneOf(
  ['1m', '1h', '1d'],
  'the length of the longest bucket of which only a share could be left out, because shorter ones are not known; 1m: it is exact',
)

/** Part of the own window that does not count, and the figures as if it did. */
export const ExcludedFields = t.Object({
  seconds: t.Number({ description: 'how much time of the window does not count, in seconds' }),
  good: t.Number({ description: 'how many good events that time has; good seconds where the SLO counts time' }),
  total: t.Number({ description: 'how many events that time has; measured seconds where the SLO counts time' }),
  share: t.Number({ description: '0 to 1: the time that does not count, divided by the length of the window so far' }),
  sli_without: MaybePercent('The SLI without corrections, as if all of it counted'),
  budget_used_percent_without: MaybePercent('What would be used of the error budget without corrections'),
  resolution,
})

export const CorrectionPreview = t.Object(
  {
    slos: t.Array(
      t.Object({
        slo_id: t.Number(),
        slo_name: t.String(),
        seconds: t.Number({ description: 'how much more of its own window would not count, in seconds' }),
        excluded_good: t.Number({ description: 'how many good events, or seconds, would not count' }),
        excluded_total: t.Number({ description: 'how many events, or seconds, would not count' }),
        resolution,
        sli: MaybePercent('As it is'),
        sli_corrected: MaybePercent('As it would be'),
        percentage_used: MaybePercent('Of the error budget, as it is'),
        percentage_used_corrected: MaybePercent('Of the error budget, as it would be'),
      }),
      { description: 'at most 50 of them' },
    ),
    slo_count: t.Number({ description: 'how many active SLOs it would cover' }),
  },
  { title: 'CorrectionPreview' },
)

export function presentCorrection(row: NamedCorrection): typeof Correction.static {
  const { id, slo_ids, team_id, labels, starts_at, ends_at, rrule, duration_seconds, time_zone, category } = row
  return {
    id,
    slo_ids: slo_ids === null ? null : JSON.parse(slo_ids),
    team_id,
    labels: labels === null ? null : parseLabels({ labels }),
    from: isoTime(1000 * starts_at),
    to: isoTimeOrNull(ends_at === null ? null : 1000 * ends_at),
    rrule,
    duration_seconds,
    time_zone,
    category,
    text: row.text,
    silence_id: row.silence_id,
    created_by: row.created_by,
    created_by_name: row.created_by_name,
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
  }
}

/** Name of the length of a bucket. */
export function resolutionName(seconds: number): '1m' | '1h' | '1d' {
  if (seconds <= 60) return '1m'
  return seconds <= 3600 ? '1h' : '1d'
}
