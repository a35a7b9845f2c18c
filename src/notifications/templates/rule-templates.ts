import type { Cause, RuleRow } from '../../db/tables/tables.ts'
import { aboutLines, asParagraphs, standardLines } from './default-templates.ts'
import type { TemplateData } from './template-data.ts'
import { fill, fitted } from './templates.ts'

type Rule = Pick<RuleRow, 'cause' | 'severity' | 'enabled' | 'subject' | 'message'>

/**
 * The texts of a rule's first notification, whatever its own templates are: that there is such a rule, what it reports, and
 * the state of the SLO. The rule's own templates follow, filled in as a sample.
 */
export function ruleTexts(rule: Rule, data: TemplateData): { subject: string; message: string } {
  const { slo } = data
  const what = `${slo.slo_name} ${reports(rule)}`
  const opening = `A notification rule was made or changed. This channel is notified when ${what}.`
  const disabled = rule.enabled ? '' : 'The rule is disabled: nothing is sent until it is enabled.'
  const samples = [rule.subject, rule.message].flatMap((own) => (own === null ? [] : [fill(own, data)]))
  const sample = samples.length > 0 ? ['The texts of the rule, with the current values:', ...samples] : []
  const now = [`Now: ${slo.status}.`, ...standardLines(data)]
  const paragraphs = [[opening, disabled], now, aboutLines(data), sample]
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
