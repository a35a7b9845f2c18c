import { assertNone, invalid, type Problem } from '../errors.ts'
import { isText } from '../http/schemas.ts'

/** Label that an SLO must have. */
export type LabelFilter = [key: string, value: string]

const maxLabels = 20
const labelName = /^[a-zA-Z_][a-zA-Z0-9_.-]{0,62}$/

/**
 * Reads the labels of an SLO as sent: trimmed, in their order, empty if none were sent. Throws `invalid`, naming each invalid
 * label.
 */
export function readLabels(sent: unknown = {}): Record<string, string> {
  assertNone(labelProblems(sent))
  return Object.fromEntries(Object.entries(sent as Record<string, string>).map(([key, value]) => [key, value.trim()]))
}

/** Problems that make `readLabels` throw. */
export function labelProblems(sent: unknown = {}): Problem[] {
  const isObject = typeof sent === 'object' && sent !== null && !Array.isArray(sent)
  if (!isObject) return [{ field: 'labels', message: 'must be a JSON object of texts' }]
  const labels = Object.entries(sent)
  if (labels.length > maxLabels)
    return [{ field: 'labels', message: `must have at most ${maxLabels} entries, not ${labels.length}` }]
  return labels.flatMap(([key, value]) => {
    if (!labelName.test(key)) return [{ field: 'labels', message: nameMessage(key) }]
    return isValue(value)
      ? []
      : [{ field: `labels.${key}`, message: 'must be 1 to 200 characters, no control characters' }]
  })
}

/** Labels of a row. */
export function parseLabels({ labels }: { labels: string }): Record<string, string> {
  return JSON.parse(labels)
}

/** Reads each `key:value`; throws `invalid`. */
export function readLabelFilters(texts: string[]): LabelFilter[] {
  if (texts.length > maxLabels) throw invalid('label', `must be sent at most ${maxLabels} times`)
  return texts.map((text) => {
    const colon = text.indexOf(':')
    const [key, value] = [text.slice(0, colon), text.slice(colon + 1)]
    if (colon < 0 || !labelName.test(key) || !isValue(value))
      throw invalid('label', 'must be key:value, as in team:payments')
    return [key, value.trim()]
  })
}

function nameMessage(key: string): string {
  return `must be names of 1 to 63 letters, digits and _.-, a letter or _ first; not ${JSON.stringify(key.slice(0, 63))}`
}

function isValue(value: unknown): value is string {
  return typeof value === 'string' && isText(value, { max: 200 })
}
