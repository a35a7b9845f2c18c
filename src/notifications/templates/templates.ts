import { invalid } from '../../errors.ts'
import { truncate } from '../channels/http.ts'
import { defaultTexts, aboutLines, asParagraphs, standardLines } from './default-templates.ts'
import { isPlaceholder, placeholderNames, type TemplateData, valueOf } from './template-data.ts'
import type { Cause, RuleRow } from '../../db/tables/tables.ts'

/** Templates of a rule; null: the default text. */
export type Template = { subject: string | null; message: string | null }

/** Pattern of a placeholder in double braces, such as `{{ slo_name }}`. */
const placeholder = /\{\{([^{}]*)\}\}/g
const maxSubject = 500
const maxMessage = 20_000

/** Throws `invalid` for an unknown placeholder, naming it. */
export function assertTemplate(field: string, text: string): void {
  for (const [, inside = ''] of text.matchAll(placeholder)) {
    const name = inside.trim()
    if (isPlaceholder(name)) continue
    const shown = truncate(name, 60)
    throw invalid(field, `must be no placeholder {{${shown}}}; known are ${placeholderNames.join(', ')}`, {
      code: 'unknown_placeholder',
      params: { placeholder: shown, known: placeholderNames.flatMap((one) => one.split(', ')) },
    })
  }
}

/**
 * Renders the subject (one line, at most 500 characters) and the message (at most 20,000) of a notification. Inserted values
 * are not searched for placeholders; an empty result is replaced by the default text.
 */
export function renderTexts({ subject, message }: Template, data: TemplateData): { subject: string; message: string } {
  const defaults = defaultTexts(data)
  return cutToLimits({
    subject: oneLine(renderTemplate(subject ?? '', data)) || defaults.subject,
    message: renderTemplate(message ?? '', data).trim() || defaults.message,
  })
}

/** Cuts texts to the limits of a notification. */
export function cutToLimits({ subject, message }: { subject: string; message: string }) {
  return { subject: truncate(oneLine(subject), maxSubject), message: truncate(message, maxMessage) }
}

function renderTemplate(template: string, data: TemplateData): string {
  return template.replace(placeholder, (whole, inside: string) => valueOf(inside.trim(), data) ?? whole)
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
  const eventText = `${slo.slo_name} ${reports(rule)}`
  const opening = `A notification rule was made or changed. This channel is notified when ${eventText}.`
  const disabled = rule.enabled ? '' : 'The rule is disabled: nothing is sent until it is enabled.'
  const samples = [rule.subject, rule.message].flatMap((text) => (text === null ? [] : [renderTemplate(text, data)]))
  const sample = samples.length > 0 ? ['The texts of the rule, with the current values:', ...samples] : []
  const now = [`Now: ${slo.status}.`, ...standardLines(data)]
  const paragraphs = [[opening, disabled], now, aboutLines(data), sample]
  return cutToLimits({
    subject: `Rule: this channel is notified when ${eventText}`,
    message: asParagraphs(paragraphs),
  })
}

const reported: Record<Exclude<Cause, 'burn_rate_too_fast'>, string> = {
  violation: 'is down or critical',
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
