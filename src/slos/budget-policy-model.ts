import { t } from 'elysia'
import { OneOf } from '../http/schemas.ts'
import { linkText, maxLines, maxPercent, maxTextLength, maxUrlLength } from './budget-policy.ts'

const percent_left = t.Number({
  multipleOf: 1,
  minimum: 0,
  maximum: maxPercent,
  description: 'the line holds while at most so much of the error budget is left, in percent of it',
})

/** Lines that `readPolicy` accepts, for the API reference. */
export const SentPolicy = t.Array(
  t.Object({
    percent_left,
    text: t.String({ minLength: 1, maxLength: maxTextLength, description: 'what then holds' }),
    url: t.Optional(t.String({ maxLength: maxUrlLength, description: linkText })),
  }),
  { maxItems: maxLines, description: `at most ${maxLines} lines, each percent once` },
)

const policyLineFields = {
  percent_left: t.Number({
    description: 'it holds while at most so much of the error budget is left, in percent of it',
  }),
  text: t.String({ description: 'what then holds' }),
  url: t.String({ description: 'empty: none' }),
}

export const PolicyLineResponse = t.Object(policyLineFields)

const source = OneOf(['slo', 'team'], 'whose policy it is: of the SLO itself or of its team')

/** Line that holds now. */
export const LineInForceResponse = t.Object({ ...policyLineFields, source })

/** Policy that holds for an SLO. */
export const PolicyInForceResponse = t.Object({
  source,
  lines: t.Array(PolicyLineResponse, { description: 'the highest percent first' }),
})
