import { type Static, t } from 'elysia'
import { OneOf } from '../http/schemas.ts'

const PickedFilter = t.Object(
  { label: t.String(), op: OneOf(['=', '!=', '=~', '!~']), value: t.String() },
  { title: 'PickedFilter' },
)
const metric = t.String()
const family = t.String({ description: 'the histogram, without _bucket' })
const filters = t.Array(PickedFilter)
const range = t.String({ description: 'of each rate' })

/** Choices made in the SLO form of the page, from which it can write the queries again. */
export const Picks = t.Union(
  [
    t.Object(
      {
        kind: t.Literal('requests'),
        metric,
        filters,
        counts: OneOf(['bad', 'good'], 'what `matching` selects: bad or good'),
        matching: filters,
        range,
      },
      { title: 'PicksOfRequests' },
    ),
    t.Object(
      {
        kind: t.Literal('latency'),
        by: t.Literal('share'),
        metric: family,
        filters,
        le: t.String({ description: 'the bucket of good requests' }),
        range,
      },
      { title: 'PicksOfLatency' },
    ),
    t.Object(
      {
        kind: t.Literal('latency'),
        by: t.Literal('quantile', { description: 'threshold is the bound' }),
        metric: family,
        filters,
        quantile: t.String({ description: 'as written, such as 0.95' }),
        range,
      },
      { title: 'PicksOfQuantile' },
    ),
    t.Object(
      {
        kind: t.Literal('site'),
        filters,
        range: t.Optional(t.String({ description: 'of the mean; absent where the query has none' })),
      },
      { title: 'PicksOfSite' },
    ),
    t.Object(
      {
        kind: t.Literal('jobs'),
        by: t.Literal('counters'),
        failed: t.String({ description: 'the counter of failed jobs' }),
        other: t.String({ description: 'the counter of all jobs, or of those done' }),
        other_counts: OneOf(['all', 'done'], 'what `other` counts: all or done'),
        filters,
        range,
      },
      { title: 'PicksOfJobs' },
    ),
    t.Object(
      {
        kind: t.Literal('jobs'),
        by: t.Literal('age', { description: 'threshold is the bound' }),
        metric: t.String({ description: 'the time of the last success' }),
        filters,
      },
      { title: 'PicksOfAge' },
    ),
  ],
  { title: 'Picks' },
)
export type Picks = Static<typeof Picks>
export type PickedFilter = Static<typeof PickedFilter>

/** Picks of a definition in a response. */
export const MaybePicks = t.Nullable(Picks, {
  description: 'what the form of the page picks to make these queries; null: it makes none like these',
})
