import { type Static, t } from 'elysia'
import { isoTime } from '../../clock.ts'
import { PageFields, PageQuery } from '../../http/paging.ts'
import { Anything, BodyId, OneOf, Text, WholeNumber } from '../../http/schemas.ts'
import { zonedTimeText } from '../../http/zoned-time.ts'
import { parseLabels } from '../../slos/labels.ts'
import { Labels, type SilenceInForce } from '../../slos/model.ts'
import { type NamedSilence, type SilenceState, silenceStates } from './silence-store.ts'

/** Maximum time from now to the end of a silence: 366 days. */
export const maxSilenceSeconds = 366 * 86_400

const Time = t.String({ maxLength: 40, description: zonedTimeText })
const Comment = Text({ max: 1000, lines: 'many' })

export const SilenceCreation = t.Object(
  {
    slo_id: t.Optional(t.Nullable(BodyId('SLO'))),
    labels: t.Optional(Anything(t.Nullable(Labels))), // read by readLabels: Elysia changes records before they get here
    starts_at: t.Optional(Time),
    until: t.Optional(Time),
    duration_seconds: t.Optional(WholeNumber({ min: 1, max: maxSilenceSeconds })),
    comment: Comment,
  },
  {
    title: 'SilenceCreation',
    examples: [
      {
        labels: { team: 'payments' },
        starts_at: '2026-11-22T22:00:00Z',
        duration_seconds: 7200,
        comment: 'Moving the database',
      },
    ],
  },
)

export const SilenceUpdate = t.Object(
  { until: t.Optional(Time), comment: t.Optional(Comment) },
  { title: 'SilenceUpdate', examples: [{ until: '2026-12-01T00:00:00Z' }] },
)

export type SilenceCreation = Static<typeof SilenceCreation>
export type SilenceUpdate = Static<typeof SilenceUpdate>

export const SilenceListQuery = t.Object({ ...PageQuery, state: t.Optional(OneOf([...silenceStates, 'all'])) })

/** Silence of the API. Either `slo_id` or `labels` is null. `slo_count`: number of active SLOs that it covers now. */
const Silence = t.Object(
  {
    id: t.Number(),
    slo_id: t.Nullable(t.Number()),
    slo_name: t.Nullable(t.String()),
    labels: t.Nullable(t.Record(t.String(), t.String())),
    state: t.String(),
    starts_at: t.String(),
    until: t.String(),
    comment: t.String(),
    slo_count: t.Number(),
    created_by: t.Nullable(t.Number()),
    created_by_name: t.Nullable(t.String()),
    created_at: t.String(),
  },
  { title: 'Silence' },
)

const success = t.Literal(true)

export const SilenceAnswer = t.Object({ success, data: Silence })
export const ChangedSilence = t.Object({ success, message: t.String(), data: Silence })
export const EndedSilence = t.Object({ success, message: t.String() })

export const SilenceList = t.Object({
  success,
  silences: t.Array(Silence),
  ...PageFields,
})

export type DescribedSilence = NamedSilence & { slo_count: number }

export function presentSilence(row: DescribedSilence, nowMs: number) {
  return {
    ...row,
    labels: row.labels === null ? null : parseLabels({ labels: row.labels }),
    state: stateOf(row, nowMs),
    starts_at: isoTime(row.starts_at),
    until: isoTime(row.until),
    created_at: isoTime(row.created_at),
  }
}

/** Silence in force, as the API shows it with a silenced SLO or alert. */
export function presentInForce({
  id,
  until,
  comment,
  labels,
  created_by_name,
}: NamedSilence): Static<typeof SilenceInForce> {
  const parsedLabels = labels === null ? null : parseLabels({ labels })
  return { id, until: isoTime(until), comment, labels: parsedLabels, created_by_name }
}

function stateOf({ starts_at, until }: Pick<NamedSilence, 'starts_at' | 'until'>, nowMs: number): SilenceState {
  if (until <= nowMs) return 'expired'
  return starts_at <= nowMs ? 'active' : 'pending'
}
