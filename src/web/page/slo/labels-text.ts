/** Labels as they are typed: `team=payments, env=prod`. */
export function labelsText(labels: Record<string, string>): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ')
}

/** Labels of such a text; null: a part of it is none. */
export function labelsOf(text: string): Record<string, string> | null {
  const parts = text.split(',').map((part) => part.trim())
  const read = parts.filter((part) => part !== '').map((part) => /^([^=]*[^=\s])\s*=\s*(.+)$/.exec(part))
  if (read.includes(null)) return null
  return Object.fromEntries(read.flatMap((found) => (found ? [[found[1] ?? '', found[2] ?? '']] : [])))
}

/** Problem of a text that must have one label or more; undefined: there is none. */
export function labelsProblem(text: string): { labels: string } | undefined {
  const isRight = Object.keys(labelsOf(text) ?? {}).length > 0
  return isRight ? undefined : { labels: 'Labels are written as name=value, with commas between them.' }
}
