import { t } from 'elysia'
import { isoTime } from '../clock.ts'
import { OneOf } from '../http/schemas.ts'
import type { AnnotationCost, SloCost, SpanCost } from './annotation-costs.ts'

const Span = t.Object({
  start_time: t.String(),
  end_time: t.String(),
  good: t.Number({ description: 'how many were good, in `unit`' }),
  bad: t.Number({ description: 'how many failed, in `unit`' }),
  budget_percent: t.Nullable(
    t.Number({
      description:
        'percent of the error budget of the window up to the end; null: nothing was measured, or not known yet',
    }),
  ),
  coverage: t.Number({ description: 'the share of this time that was measured, 0 to 1' }),
})

export const AnnotationCostResponse = t.Object(
  {
    success: t.Literal(true),
    data: t.Object({
      annotation_id: t.Number(),
      complete: t.Boolean({ description: 'true if `complete` is true of each SLO' }),
      slo_count: t.Number({ description: 'how many active SLOs it matches; `slos` has at most 100' }),
      slos: t.Array(
        t.Object({
          slo_id: t.Number(),
          slo_name: t.String(),
          unit: OneOf(['events', 'seconds']),
          next_deploy: t.Nullable(t.Object({ id: t.Number(), version: t.String(), at: t.String() }), {
            description: 'the deploy at which `after` ends; null: there is none yet',
          }),
          complete: t.Boolean({
            description:
              'false until `after` has ended, at the next deploy or after the length of the window, and is measured to its end; also false during a backfill',
          }),
          resolution: OneOf(['1m', '1h', '1d'], 'the length of the stored buckets to which its times are rounded'),
          after: Span,
          before: Span,
        }),
      ),
    }),
  },
  { title: 'AnnotationCost' },
)

const resolutions = { 60: '1m', 3600: '1h', 86_400: '1d' } as const

export function presentCost({ annotation, sloCount, slos }: AnnotationCost): typeof AnnotationCostResponse.static {
  const complete = slos.every(({ isComplete }) => isComplete)
  const data = { annotation_id: annotation.id, complete, slo_count: sloCount, slos: slos.map(presentSloCost) }
  return { success: true, data }
}

function presentSloCost({ slo, countsEvents, next, endSeconds, isComplete, resolution, after, before }: SloCost) {
  return {
    slo_id: slo.id,
    slo_name: slo.name,
    unit: countsEvents ? ('events' as const) : ('seconds' as const),
    next_deploy: next ? { id: next.id, version: next.version, at: isoTime(next.at) } : null,
    complete: isComplete,
    resolution: resolutions[resolution],
    after: presentSpan(after, endSeconds),
    before: presentSpan(before, after.startSeconds),
  }
}

function presentSpan({ startSeconds, good, bad, budgetPercent, coverage }: SpanCost, endSeconds: number) {
  return {
    start_time: isoTime(startSeconds * 1000),
    end_time: isoTime(endSeconds * 1000),
    good,
    bad,
    budget_percent: budgetPercent,
    coverage,
  }
}
