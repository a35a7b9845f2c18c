import type { Cause, RuleRow } from '../../db/tables/tables.ts'
import { aboutLines, asParagraphs, standardFacts } from './default-templates.ts'
import type { TemplateData } from './template-data.ts'
import { fill, fitted } from './templates.ts'

type Rule = Pick<RuleRow, 'cause' | 'severity' | 'enabled' | 'subject' | 'message'>

/**
 * What a rule's first notification says, whatever the rule's own words are: that there is such a rule, what it reports,
 * and how the SLO stands. The rule's own words follow as a sample.
 */
export function ruleWords(rule: Rule, story: TemplateData): { subject: string; message: string } {
  const { facts } = story
  const what = `${facts.slo_name} ${reports(rule)}`
  const opening = `A notification rule was made or changed. This channel is notified when ${what}.`
  const disabled = rule.enabled ? '' : 'The rule is disabled: nothing is sent until it is enabled.'
  const samples = [rule.subject, rule.message].flatMap((own) => (own === null ? [] : [fill(own, story)]))
  const sample = samples.length > 0 ? ['The words of the rule, with the values of now:', ...samples] : []
  const now = [`Now: ${facts.status}.`, ...standardFacts(story)]
  const paragraphs = [[opening, disabled], now, aboutLines(story), sample]
  return fitted({
    subject: `Rule: this channel is notified when ${what}`,
    message: asParagraphs(paragraphs),
  })
}

const reported: Record<Exclude<Cause, 'burn_rate_too_fast'>, string> = {
  violation: 'is critical',
  warning: 'is below its target, and not yet critical',
  recovery: 'is healthy again',
  error_budget_low: 'has little of its error budget left',
  error_budget_exhausted: 'has used up its error budget',
  appliance_condition: 'is unwell',
}

function reports({ cause, severity }: Rule): string {
  if (cause !== 'burn_rate_too_fast') return reported[cause]
  return `burns its error budget too fast${severity === null ? '' : ` (${severity})`}`
}
