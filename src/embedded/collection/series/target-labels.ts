import type { Label } from '../../exposition/sample.ts'

/** The labels of everything that a target or probe gives: `job`, `instance`, and its own, which may replace these. */
export function ownLabels(of: { name: string; labels: Readonly<Record<string, string>> }, instance: string): Label[] {
  const all = new Map([['job', of.name], ['instance', instance], ...Object.entries(of.labels)])
  return withoutEmpty([...all])
}

/** Host and port of an http or https URL, the port even where it is the usual one; else the URL itself. */
export function instanceOf(url: string): string {
  const { protocol = '', host = '', port = '' } = URL.parse(url) ?? {}
  if (host === '') return url
  return port === '' ? `${host}:${protocol === 'https:' ? 443 : 80}` : host
}

/**
 * The labels of a series once those of its target are added, in order of name, none empty. With `honorLabels` its own win,
 * an empty one too; else one that is in the way is moved to `exported_NAME`, repeated until free. As Prometheus does.
 */
export function mergedLabels(given: readonly Label[], ofTarget: readonly Label[], honorLabels: boolean): Label[] {
  const inOrder = mergedInOrder(given, ofTarget)
  if (inOrder) return inOrder
  if (honorLabels) return withoutEmpty([...new Map([...ofTarget, ...given])])
  const merged = new Map([...given, ...ofTarget])
  const inTheWay = withoutEmpty(given).filter(([name]) => ofTarget.some(([taken]) => taken === name))
  for (const [name, value] of inTheWay.toSorted(([a], [b]) => a.length - b.length)) {
    let free = `exported_${name}`
    while (merged.get(free)) free = `exported_${free}`
    merged.set(free, value)
  }
  return withoutEmpty([...merged])
}

/** Both in one, where each is in order of name, none is empty, and none is in both. */
export function mergedInOrder(some: readonly Label[], others: readonly Label[]): Label[] | undefined {
  const merged: Label[] = []
  let before = ''
  for (let [at, other] = [0, 0]; at < some.length || other < others.length;) {
    const [one, next] = [some[at], others[other]]
    const isOne = one !== undefined && (next === undefined || one[0] < next[0])
    const label = isOne ? one : next
    if (!label || label[0] <= before || label[1] === '') return undefined
    if (isOne) at += 1
    else other += 1
    before = label[0]
    merged.push(label)
  }
  return merged
}

function withoutEmpty(labels: readonly Label[]): Label[] {
  return labels.filter(([, value]) => value !== '').toSorted(([a], [b]) => (a < b ? -1 : 1))
}
