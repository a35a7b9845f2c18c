import type { Label } from '../../exposition/sample.ts'

/** Labels added to every series of a target or probe: `job`, `instance`, and its own labels, which may replace these. */
export function targetLabels(
  target: { name: string; labels: Readonly<Record<string, string>> },
  instance: string,
): Label[] {
  const all = new Map([['job', target.name], ['instance', instance], ...Object.entries(target.labels)])
  return withoutEmpty([...all])
}

/** Host and port of an http or https URL, including a default port; any other URL unchanged. */
export function instanceOf(url: string): string {
  const { protocol = '', host = '', port = '' } = URL.parse(url) ?? {}
  if (host === '') return url
  return port === '' ? `${host}:${protocol === 'https:' ? 443 : 80}` : host
}

/**
 * Labels of a series with those of its target, sorted by name, none empty. With `honorLabels` the exposed label wins, even if
 * empty. Without, an exposed label in conflict is renamed to `exported_NAME`, repeatedly until the name is free. Same rules as
 * in Prometheus.
 */
export function mergedLabels(exposed: readonly Label[], ofTarget: readonly Label[], honorLabels: boolean): Label[] {
  const inOrder = mergedInOrder(exposed, ofTarget)
  if (inOrder) return inOrder
  if (honorLabels) return withoutEmpty([...new Map([...ofTarget, ...exposed])])
  const merged = new Map([...exposed, ...ofTarget])
  const conflicting = withoutEmpty(exposed).filter(([name]) => ofTarget.some(([taken]) => taken === name))
  for (const [name, value] of conflicting.toSorted(([a], [b]) => a.length - b.length)) {
    let free = `exported_${name}`
    while (merged.get(free)) free = `exported_${free}`
    merged.set(free, value)
  }
  return withoutEmpty([...merged])
}

/** Merges two label lists; undefined unless both are sorted by name, no label is empty and none is in both. */
export function mergedInOrder(first: readonly Label[], second: readonly Label[]): Label[] | undefined {
  const merged: Label[] = []
  let lastName = ''
  for (let [at, other] = [0, 0]; at < first.length || other < second.length;) {
    const [one, next] = [first[at], second[other]]
    const isOne = one !== undefined && (next === undefined || one[0] < next[0])
    const label = isOne ? one : next
    if (!label || label[0] <= lastName || label[1] === '') return undefined
    if (isOne) at += 1
    else other += 1
    lastName = label[0]
    merged.push(label)
  }
  return merged
}

function withoutEmpty(labels: readonly Label[]): Label[] {
  return labels.filter(([, value]) => value !== '').toSorted(([a], [b]) => (a < b ? -1 : 1))
}
