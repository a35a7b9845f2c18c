import { invalid } from '../../errors.ts'
import { truncate } from '../channels/http.ts'
import { aboutLines, defaultTexts, standardLines } from './default-templates.ts'
import { asParagraphs } from './lines.ts'
import { defaultName, isPlaceholder, placeholderNames, type TemplateData, valueOf } from './template-data.ts'
import type { Cause, RuleRow } from '../../db/tables/tables.ts'

/** Templates of a rule; null: the default text. */
export type Template = { subject: string | null; message: string | null }

/** Pattern of a placeholder in double braces, such as `{{ slo_name }}`. */
const placeholder = /\{\{([^{}]*)\}\}/g
const maxSubjectCharacters = 500
const maxMessageCharacters = 20_000

/** Throws `invalid` for an unknown placeholder, naming it. */
export function assertTemplate(field: string, text: string): void {
  for (const [, inside = ''] of text.matchAll(placeholder)) {
    const name = inside.trim()
    if (isPlaceholder(name)) continue
    const shown = truncate(name, 60)
    throw invalid(field, `unknown placeholder {{${shown}}} (known: ${placeholderNames.join(', ')})`, {
      code: 'unknown_placeholder',
      params: { placeholder: shown, known: placeholderNames.flatMap((one) => one.split(', ')) },
    })
  }
}

/**
 * Renders the subject (one line, at most 500 characters) and the message (at most 20,000) of a notification. Inserted values
 * are not searched for placeholders; `{{default}}` is the default text, which also replaces an empty result.
 */
export function renderTexts({ subject, message }: Template, data: TemplateData): { subject: string; message: string } {
  const defaults = defaultTexts(data)
  return cutToLimits({
    subject: oneLine(renderTemplate(subject ?? '', data, defaults.subject)) || defaults.subject,
    message: renderTemplate(message ?? '', data, defaults.message).trim() || defaults.message,
  })
}

/** Cuts texts to the limits of a notification. */
export function cutToLimits({ subject, message }: { subject: string; message: string }) {
  return { subject: truncate(oneLine(subject), maxSubjectCharacters), message: truncate(message, maxMessageCharacters) }
}

/** Fills in a template. `defaultText`: the value of `{{default}}`, which a template can begin from. */
function renderTemplate(template: string, data: TemplateData, defaultText: string): string {
  return template.replace(placeholder, (whole, inside: string) => {
    const name = inside.trim()
    return name === defaultName ? defaultText : (valueOf(name, data) ?? whole)
  })
}

function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim()
}

type Rule = Pick<RuleRow, 'cause' | 'severity' | 'enabled' | 'subject' | 'message'>

/**
 * Texts that announce a rule, whatever its own templates are: that the rule exists, what it notifies of, and the state of the
 * SLO. The rule's own templates follow, rendered with the current values.
 */
export function ruleTexts(rule: Rule, data: TemplateData): { subject: string; message: string } {
  const { slo } = data
  const eventText = `${slo.slo_name} ${clauseOf(rule)}`
  const opening = `A notification rule was made or changed. This channel is notified when ${eventText}.`
  const disabled = rule.enabled ? '' : 'The rule is disabled: nothing is sent until it is enabled.'
  const { subject, message } = defaultTexts(data)
  const samples = [
    ...(rule.subject === null ? [] : [renderTemplate(rule.subject, data, subject)]),
    ...(rule.message === null ? [] : [renderTemplate(rule.message, data, message)]),
  ]
  const sample = samples.length > 0 ? ['The texts of the rule, with the current values:', ...samples] : []
  const nowLines = [`Now: ${slo.status}.`, ...standardLines(data)]
  const paragraphs = [[opening, disabled], nowLines, aboutLines(data), sample]
  return cutToLimits({
    subject: `Rule: this channel is notified when ${eventText}`,
    message: asParagraphs(paragraphs),
  })
}

const clauses: Record<Exclude<Cause, 'burn_rate_too_fast'>, string> = {
  violation: 'is down or critical',
  warning: 'is below its target, and not yet critical',
  recovery: 'is healthy again',
  error_budget_low: 'has little of its error budget left',
  error_budget_exhausted: 'has used up its error budget',
  appliance_condition: 'is unwell',
}

function clauseOf({ cause, severity }: Rule): string {
  if (cause !== 'burn_rate_too_fast') return clauses[cause]
  return `burns its error budget too fast${severity === null ? '' : ` (${severity})`}`
}
