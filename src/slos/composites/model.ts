import { type Static, t } from 'elysia'
import { BodyId, OneOf } from '../../http/schemas.ts'
import { compositeMethods, unknownMemberRules } from '../arithmetic/composite.ts'

export const minMembers = 2
export const maxMembers = 20
const maxWeight = 1_000_000

/** Composite of a request: an SLO over other SLOs. */
export const SentComposite = t.Object(
  {
    method: OneOf(compositeMethods),
    members: t.Array(
      t.Object({
        slo_id: BodyId('SLO'),
        weight: t.Optional(
          t.Number({
            exclusiveMinimum: 0,
            maximum: maxWeight,
            description: `how many times as much it counts as a member of weight 1: a number above 0 and at most ${maxWeight}; 1 where it is not given`,
          }),
        ),
      }),
      {
        minItems: minMembers,
        maxItems: maxMembers,
        description: `${minMembers} to ${maxMembers} SLOs of the organization that are no composites themselves`,
      },
    ),
    on_unknown_member: t.Optional(OneOf(unknownMemberRules)),
  },
  { description: 'an SLO over other SLOs, instead of a query and a source' },
)
export type SentComposite = Static<typeof SentComposite>

/** Composite of an SLO, for responses. */
export const CompositeResponse = t.Object({
  method: t.String({
    description:
      'weighted: the mean of the SLIs of its members by weight; events: all their events together; worst: the lowest of their SLIs',
  }),
  members: t.Array(
    t.Object({
      slo_id: t.Number(),
      weight: t.Number({ description: 'how many times as much it counts as one of weight 1' }),
    }),
  ),
  on_unknown_member: t.String({
    description: 'a member that is deleted, paused or not measured makes it unknown, or is left out (leave_out)',
  }),
})

/** Composite that has an SLO as a member. */
export const HoldingComposite = t.Object({ id: t.Number(), name: t.String() })
