import { type Static, t, type TSchema } from 'elysia'
import { Anything, BodyId, OneOf, readerOf, Text } from '../../http/schemas.ts'
import { Labels, SeriesLabel, SeriesLabelValue, SloCreation } from '../model.ts'

/** Maximum number of SLOs of a request. */
export const maxSlos = 500

const Filter = t.Object(
  {
    labels: t.Optional(Anything(Labels)), // read by readLabels
    team_id: t.Optional(BodyId('team')),
    search: t.Optional(Text({ max: 200 })),
  },
  { additionalProperties: false, description: 'labels, team_id, search, or several of them' },
)

/** Reads a filter. A field that it does not have is refused: without it the filter would select more. */
export const readFilter = readerOf(Filter)

/** Maximum number of SLOs that a request creates. */
const maxValues = 50

/** Schema of the body of a request. `rule`: schema of its field `rule`. */
export const BulkRequest = (rule: TSchema) =>
  t.Object(
    {
      action: OneOf(['pause', 'resume', 'delete', 'restore', 'set_target', 'add_rules', 'create_for_each']),
      ids: t.Optional(
        t.Array(BodyId('SLO'), {
          minItems: 1,
          maxItems: maxSlos,
          description: `1 to ${maxSlos} entries, the ids of SLOs`,
        }),
      ),
      filter: t.Optional(Anything(Filter)), // read by readFilter
      target: t.Optional(SloCreation.properties.target),
      rule: t.Optional(Anything(rule)), // read by prepareRule
      slo: t.Optional(t.Object(SloCreation.properties, { title: 'SloForEachValue' })),
      label: t.Optional(SeriesLabel),
      values: t.Optional(
        t.Array(SeriesLabelValue, {
          minItems: 1,
          maxItems: maxValues,
          description: `1 to ${maxValues} values of the label`,
        }),
      ),
    },
    {
      title: 'BulkRequest',
      examples: [
        { action: 'pause', filter: { labels: { team: 'payments' } } },
        { action: 'set_target', ids: [1], target: 99.5 },
      ],
    },
  )
export type BulkRequest = Static<ReturnType<typeof BulkRequest>>

export const BulkAnswer = t.Object(
  {
    results: t.Array(
      t.Object({
        id: t.Number({ description: 'the id of an SLO' }),
        result: OneOf(['changed', 'unchanged', 'created', 'failed'], 'unchanged: it was so before'),
        error: t.Nullable(
          t.Object({
            code: t.String({ description: 'not_found, invalid, conflict or unavailable; more may be added' }),
            message: t.String(),
            details: t.Nullable(t.String()),
          }),
          { description: 'null unless failed' },
        ),
      }),
    ),
    changed: t.Number({ description: 'how many SLOs were changed or created' }),
    unchanged: t.Number({ description: 'how many SLOs were so before' }),
    failed: t.Number({ description: 'how many SLOs could not be changed' }),
  },
  { title: 'BulkAnswer' },
)
export type BulkResult = Static<typeof BulkAnswer>['results'][number]
