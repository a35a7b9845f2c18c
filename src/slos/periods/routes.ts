import { Elysia, t } from 'elysia'
import { type Clock, isoTime, isoTimeOrNull } from '../../clock.ts'
import type { Database } from '../../db/open.ts'
import { operation } from '../../http/openapi/operation.ts'
import { PageFields, pageFields, PageQuery, readPage } from '../../http/paging.ts'
import { Id } from '../../http/schemas.ts'
import { type GuardDeps, signedIn } from '../../http/signed-in.ts'
import { errorBudget, round10 } from '../arithmetic/budget.ts'
import { getSlo } from '../store.ts'
import { listPeriods, type PeriodRow } from './store.ts'

type Deps = { db: Database; clock: Clock; guard: GuardDeps }

const MaybeNumber = (description: string) => t.Nullable(t.Number({ description }))

export const SloPeriod = t.Object(
  {
    starts_at: t.String(),
    ends_at: t.String(),
    time_window: t.String({ description: 'week, month, quarter or year' }),
    time_zone: t.String({ description: 'IANA name' }),
    target: t.Number({ description: 'percent, as at its end' }),
    revision: t.Number({ description: 'the number of the way it was measured' }),
    sli: MaybeNumber('percent; null: not known, `note` says why'),
    met: t.Nullable(t.Boolean({ description: 'whether the SLI reached the target; null: not known' })),
    percentage_used: MaybeNumber('percent of the error budget; null: not known'),
    events: t.Nullable(
      t.Object({
        good: t.Number({ description: 'how many were good' }),
        total: t.Number({ description: 'how many there were' }),
      }),
      { description: 'null: it counts time' },
    ),
    excluded: t.Nullable(
      t.Object({
        seconds: t.Number({ description: 'how much time of the period does not count, in seconds' }),
        good: t.Number({ description: 'how many good events, or seconds, it has' }),
        total: t.Number({ description: 'how many events, or seconds, it has' }),
        sli_without: MaybeNumber('percent: the SLI without corrections, as if all of it counted; null: not known'),
      }),
      { description: 'what corrections leave out of it; null: nothing' },
    ),
    note: t.Nullable(
      t.String({ description: 'why the SLI is not known, or is not that of the whole period; null: it is' }),
    ),
    frozen_at: t.String({ description: 'since when these figures do not change any more' }),
    recomputed_at: t.Nullable(
      t.String({ description: 'when they were computed again with the corrections of then; null: never' }),
    ),
  },
  { title: 'SloPeriod' },
)

const SloPeriods = t.Object({ periods: t.Array(SloPeriod), ...PageFields }, { title: 'SloPeriods' })

const params = t.Object({ id: Id('SLO') })
const query = t.Object(PageQuery)

const usualPageSize = 20

/** Routes of `/slos/:id/periods`: calendar periods that have ended. */
export const periodRoutes = ({ db, clock, guard }: Deps) =>
  new Elysia({ prefix: '/slos/:id/periods', tags: ['SLOs'] }).use(signedIn({ ...guard, writes: 'member' })).get(
    '/',
    async ({ caller, params, query }) => {
      const slo = await getSlo(db.read, caller.organizationId, params.id)
      const page = readPage(query, usualPageSize)
      const { rows, total } = await listPeriods(db.read, slo.id, clock.now(), page)
      return { periods: rows.map(presentPeriod), ...pageFields(page, total) }
    },
    {
      ...operation('listSloPeriods', 'Calendar periods of an SLO that have ended, newest first', {
        params,
        query,
        200: SloPeriods,
        description:
          'The figures of each, frozen a quarter of an hour after its end with the definition that held then. The ' +
          'running period is that of `/slos/{id}/budget`. Empty for a window that moves with time.',
      }),
      beforeHandle: guard.answers.keep,
    },
  )

export function presentPeriod(row: PeriodRow): typeof SloPeriod.static {
  const { target, good_events: good, total_events: total } = row
  const sli = round10(row.sli)
  return {
    starts_at: isoTime(row.starts_at * 1000),
    ends_at: isoTime(row.ends_at * 1000),
    time_window: row.time_window,
    time_zone: row.time_zone,
    target,
    revision: row.revision,
    sli,
    met: sli === null ? null : sli >= target,
    percentage_used: errorBudget(sli, target).percentageUsed,
    events: good === null || total === null ? null : { good, total },
    excluded: presentExcluded(row),
    note: row.note,
    frozen_at: isoTime(row.frozen_at),
    recomputed_at: isoTimeOrNull(row.recomputed_at),
  }
}

function presentExcluded(row: PeriodRow) {
  const { excluded_seconds: seconds, excluded_good: good, excluded_total: total, counted_good, counted_total } = row
  if (seconds === 0) return null
  const all = counted_total === null ? 0 : counted_total + total
  const sli = all > 0 ? (100 * ((counted_good ?? 0) + good)) / all : null
  return { seconds, good: round10(good), total: round10(total), sli_without: round10(sli) }
}
