import { memoizeByText } from '../../promql/memoize-text.ts'
import { type Definition, queryFields, type Review, completeDefinition } from '../../slos/definition.ts'
import { planSli } from './plan.ts'

/**
 * Reviews a definition before it is measured: likely mistakes in how an SLO is measured, in sentences a person can act on.
 * Definitions that differ only in label values, as for many services, are planned once if they have no mistakes.
 */
export function reviewDefinition(definition: Definition): Review {
  const template = templateOf(definition)
  const templateReview = template === null ? null : reviewTemplate(template)
  return templateReview?.isPromql && templateReview.warnings.length === 0 ? templateReview : review(definition)
}

function review(definition: Definition): Review {
  const { isPromql, notes } = planSli(definition)
  return { isPromql, warnings: notes }
}

const reviewTemplate = memoizeByText((template) => review(JSON.parse(template) as Definition))

/** Maximum length of all queries of a definition together; longer ones are not searched for values. */
const maxQueryCharacters = 2000

/** Characters that could spell a value in two ways or hide its position; `·` marks replaced values. */
const unclear = /[\\`#·]/

/** Matches `{label="value"`, with a group up to the quote, and all other strings, so that nothing inside them matches. */
const values =
  /([{,]\s*(?!__name__\b)[a-zA-Z_]\w*\s*(?:=~|!~|!=|=)\s*)(?:"([ !#-~]+)"|'([ -&(-~]+)')|"[^"\n]*"?|'[^'\n]*'?/g

/**
 * Definition as JSON with label values replaced by numbers, equal values by the same number: how it is planned depends only on
 * which values are equal. Metric names stay. Null if that is impossible.
 */
function templateOf(definition: Definition): string | null {
  const numbers = new Map<string, string>()
  const numbered = (value: string) => numbers.getOrInsertComputed(value, () => `·${numbers.size}`)
  const template = completeDefinition(definition)
  let length = 0
  for (const field of queryFields) {
    const text = template[field]
    if (text === null) continue
    length += text.length
    if (length > maxQueryCharacters || unclear.test(text)) return null
    template[field] = text.replaceAll(values, (all, opening?: string, double?: string, single?: string) => {
      if (double !== undefined) return `${opening}"${numbered(double)}"`
      return single === undefined ? all : `${opening}'${numbered(single)}'`
    })
  }
  return JSON.stringify(template)
}
