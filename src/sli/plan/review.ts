import { perText } from '../../promql/per-text.ts'
import { type Definition, queryFields, type Review, wholeDefinition } from '../../slos/definition.ts'
import { planSli } from './plan.ts'

/**
 * What can be said of a definition before it is measured: what is likely wrong with how an SLO is measured, in sentences a
 * person can act on. Definitions that differ in the values of labels only, as those of many services do, are planned once
 * where nothing is wrong with them.
 */
export function reviewDefinition(definition: Definition): Review {
  const template = templateOf(definition)
  const ofTemplate = template === null ? null : reviewTemplate(template)
  return ofTemplate?.isPromql && ofTemplate.warnings.length === 0 ? ofTemplate : review(definition)
}

function review(definition: Definition): Review {
  const { isPromql, notes } = planSli(definition)
  return { isPromql, warnings: notes }
}

const reviewTemplate = perText((template) => review(JSON.parse(template) as Definition))

const maxQueries = 2000 // characters

/** By what a value could be spelled in two ways, or its place missed; and the mark of those that are replaced. */
const unclear = /[\\`#·]/

/** `{label="value"`, the opening up to the quote apart; all other strings only so that nothing inside of them is one. */
const values =
  /([{,]\s*(?!__name__\b)[a-zA-Z_]\w*\s*(?:=~|!~|!=|=)\s*)(?:"([ !#-~]+)"|'([ -&(-~]+)')|"[^"\n]*"?|'[^'\n]*'?/g

/**
 * A definition as JSON with numbers in place of the values of labels, the same for the same value: how it is planned depends
 * on which values are the same, and on nothing else of them. The names of metrics stay. Null where that cannot be done.
 */
function templateOf(definition: Definition): string | null {
  const numbers = new Map<string, string>()
  const numbered = (value: string) => numbers.getOrInsertComputed(value, () => `·${numbers.size}`)
  const template = wholeDefinition(definition)
  let length = 0
  for (const field of queryFields) {
    const text = template[field]
    if (text === null) continue
    length += text.length
    if (length > maxQueries || unclear.test(text)) return null
    template[field] = text.replaceAll(values, (all, opening?: string, double?: string, single?: string) => {
      if (double !== undefined) return `${opening}"${numbered(double)}"`
      return single === undefined ? all : `${opening}'${numbered(single)}'`
    })
  }
  return JSON.stringify(template)
}
