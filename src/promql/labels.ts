/** Labels by name, `__name__` among them; none is empty. */
export type Labels = Readonly<Record<string, string>>

export const metricName = '__name__'

/** What describes a metric, and not what is calculated of it. */
export const metadata = [metricName, '__type__', '__unit__']

/** The value of a label, empty where there is none; safe for names that every object has (`constructor`). */
export function labelOf(labels: Labels, name: string): string {
  return Object.hasOwn(labels, name) ? (labels[name] ?? '') : ''
}

/** The same text for the same labels, and only for them. */
export function labelsKey(labels: Labels): string {
  const names = Object.keys(labels)
  if (names.length === 0) return '[]'
  return JSON.stringify(names.toSorted().map((name) => [name, labels[name]]))
}

/** Its order is that of Prometheus: by the first label that differs, in its name or its value. */
function orderKey(labels: Labels): string {
  const names = Object.keys(labels)
  if (names.some((name, index) => name < (names[index - 1] ?? ''))) names.sort() // mostly they are
  let key = ''
  for (const name of names) key += `${name}\0${labels[name]}\0`
  return key
}

/** What has labels, in the order in which Prometheus has series. */
export function inOrderOfLabels<T extends { labels: Labels }>(some: Iterable<T>): T[] {
  const keyed = Array.from(some, (one) => ({ one, key: orderKey(one.labels) }))
  return keyed.toSorted((a, b) => (a.key < b.key ? -1 : 1)).map(({ one }) => one)
}

export function onlyLabels(labels: Labels, names: readonly string[]): Labels {
  return keep(labels, (name) => names.includes(name))
}

export function withoutLabels(labels: Labels, names: readonly string[]): Labels {
  return keep(labels, (name) => !names.includes(name))
}

export const withoutMetadata = (labels: Labels) => withoutLabels(labels, metadata)

/** With labels set, and taken away where they are set to nothing. */
export function withLabels(labels: Labels, set: Iterable<readonly [string, string]>): Labels {
  const all = new Map([...Object.entries(labels), ...set])
  return Object.fromEntries([...all].filter(([, value]) => value !== ''))
}

function keep(labels: Labels, isKept: (name: string) => boolean): Labels {
  return Object.fromEntries(Object.entries(labels).filter(([name]) => isKept(name)))
}

/** Any text is a name since Prometheus 3. */
export const isLabelName = (name: string) => name !== '' && name.isWellFormed()
