import { invalid } from '../../errors.ts'
import { cut } from '../channels/http.ts'
import { defaultTexts } from './default-templates.ts'
import { isPlaceholder, placeholderNames, type TemplateData, valueOf } from './template-data.ts'

/** Templates; null: the default texts. */
export type Template = { subject: string | null; message: string | null }

/** What braces stand around, as in `{{ slo_name }}`. */
const placeholder = /\{\{([^{}]*)\}\}/g
const maxSubject = 500
const maxMessage = 20_000

/** Throws `invalid`, naming it, for a placeholder nines does not know. */
export function assertTemplate(field: string, text: string): void {
  for (const [, inside = ''] of text.matchAll(placeholder)) {
    const name = inside.trim()
    if (isPlaceholder(name)) continue
    throw invalid(field, `must be no placeholder {{${cut(name, 60)}}}; known are ${placeholderNames.join(', ')}`)
  }
}

/**
 * The subject (one line, at most 500 characters) and the message (at most 20,000) of a notification. Values go in as text
 * that is not read again; an empty result is replaced by the default text.
 */
export function write({ subject, message }: Template, data: TemplateData): { subject: string; message: string } {
  const defaults = defaultTexts(data)
  return fitted({
    subject: oneLine(fill(subject ?? '', data)) || defaults.subject,
    message: fill(message ?? '', data).trim() || defaults.message,
  })
}

/** Within the bounds of a notification. */
export function fitted({ subject, message }: { subject: string; message: string }) {
  return { subject: cut(oneLine(subject), maxSubject), message: cut(message, maxMessage) }
}

export function fill(template: string, data: TemplateData): string {
  return template.replace(placeholder, (whole, inside: string) => valueOf(inside.trim(), data) ?? whole)
}

function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim()
}
