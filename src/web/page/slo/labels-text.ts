/** Labels as they are typed: `team=payments, env=prod`. A value with a comma or a quote is quoted: `reason="fix, refactor"`. */
export function labelsText(labels: Record<string, string>): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}=${/[",]/.test(value) ? JSON.stringify(value) : value}`)
    .join(', ')
}

/** Labels of such a text; null if a part of it is no label. */
export function labelsOf(text: string): Record<string, string> | null {
  const parts = (text.match(/(?:"(?:[^"\\]|\\.)*"|[^,])+/g) ?? []).map((part) => part.trim())
  const labels = parts.filter(Boolean).map((part) => {
    const [, name = '', typed = ''] = /^([^=]*[^=\s])\s*=\s*(.+)$/.exec(part) ?? []
    return [name, valueOf(typed)] as const
  })
  return labels.some(([, value]) => value === '') ? null : Object.fromEntries(labels)
}

/** Value as typed, without its quotes; empty: there is none. */
function valueOf(typed: string): string {
  if (!typed.startsWith('"')) return typed
  try {
    return String(JSON.parse(typed))
  } catch {
    return ''
  }
}

/** Problem of a text that `labelsOf` cannot read. */
export const labelsRule =
  'Labels are written as name=value, with commas between them. A value with a comma is in quotes.'

/** Problem of a text that must have one label or more; undefined: there is none. */
export function labelsProblem(text: string): { labels: string } | undefined {
  const isRight = Object.keys(labelsOf(text) ?? {}).length > 0
  return isRight ? undefined : { labels: labelsRule }
}
