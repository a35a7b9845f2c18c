/** Label values by name, including `__name__`; no value is empty. */
export type Labels = Readonly<Record<string, string>>

export const metricName = '__name__'

/** Labels that describe a metric and do not apply to values calculated from it. */
export const metadataLabels = [metricName, '__type__', '__unit__']

/** Value of a label, empty if absent; safe for names of inherited properties (`constructor`). */
export function labelOf(labels: Labels, name: string): string {
  return Object.hasOwn(labels, name) ? (labels[name] ?? '') : ''
}

/** Unique text key of a label set; equal for every order of the labels. */
export function labelsKey(labels: Labels): string {
  const names = Object.keys(labels)
  if (names.length === 0) return '[]'
  return JSON.stringify(names.toSorted().map((name) => [name, labels[name]]))
}

/** Sort key in the order of Prometheus: by the first label that differs in its name or value. */
function orderKey(labels: Labels): string {
  const names = Object.keys(labels)
  if (names.some((name, index) => name < (names[index - 1] ?? ''))) names.sort() // usually sorted already
  let key = ''
  for (const name of names) key += `${name}\0${labels[name]}\0`
  return key
}

/** Items sorted by their labels, in the order in which Prometheus returns series. */
export function inOrderOfLabels<T extends { labels: Labels }>(list: Iterable<T>): T[] {
  const keyed = Array.from(list, (one) => ({ one, key: orderKey(one.labels) }))
  return keyed.toSorted((a, b) => (a.key < b.key ? -1 : 1)).map(({ one }) => one)
}

export function onlyLabels(labels: Labels, names: readonly string[]): Labels {
  return filterLabels(labels, (name) => names.includes(name))
}

export function withoutLabels(labels: Labels, names: readonly string[]): Labels {
  return filterLabels(labels, (name) => !names.includes(name))
}

export const withoutMetadata = (labels: Labels) => withoutLabels(labels, metadataLabels)

/** Sets labels; a label that is set to the empty text is removed. */
export function withLabels(labels: Labels, changes: Iterable<readonly [string, string]>): Labels {
  const all = new Map([...Object.entries(labels), ...changes])
  return Object.fromEntries([...all].filter(([, value]) => value !== ''))
}

function filterLabels(labels: Labels, isKept: (name: string) => boolean): Labels {
  return Object.fromEntries(Object.entries(labels).filter(([name]) => isKept(name)))
}

/** True for any non-empty, well-formed text, as since Prometheus 3. */
export const isLabelName = (name: string) => name !== '' && name.isWellFormed()
