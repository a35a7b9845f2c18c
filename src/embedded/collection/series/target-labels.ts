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

function withoutEmpty(labels: readonly Label[]): Label[] {
  return labels.filter(([, value]) => value !== '').toSorted(([a], [b]) => (a < b ? -1 : 1))
}
