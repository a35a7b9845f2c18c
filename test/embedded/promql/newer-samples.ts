import { endMs, scrapeMs, startMs, generatedSeries } from './samples.ts'

type SampledSeries = ReturnType<typeof generatedSeries>[number]

const scrapes = (endMs - startMs) / scrapeMs + 1

/** Series for features new in Prometheus 3: info metrics, names with any characters, well-formed histograms. */
export function newerSeries(): SampledSeries[] {
  const more: SampledSeries[] = []
  const add = (labels: Record<string, string>, valueAt: (scrape: number) => number, [from, to] = [0, scrapes]) => {
    const samples = Array.from({ length: to - from }, (_, at) => ({
      atMs: startMs + (from + at) * scrapeMs,
      value: valueAt(from + at),
    }))
    more.push({ labels, samples })
  }
  for (const job of ['api', 'web'])
    for (const instance of ['a:80', 'b:80', 'c:81']) {
      const of = { job, instance }
      add({ __name__: 'target_info', ...of, version: '1', 'k8s.cluster': `${job}-x` }, () => 1, [0, 80])
      add({ __name__: 'target_info', ...of, version: '2', 'k8s.cluster': `${job}-y` }, () => 1, [80, scrapes])
      if (job === 'api') add({ __name__: 'process_info', ...of, pid: instance.slice(0, 1) }, () => 1)
      add({ __name__: 'requests', ...of }, (scrape) => scrape * 3 + instance.length)
      add({ __name__: 'http.server.requests', ...of, 'http.route': '/a b' }, (scrape) => scrape * 2)
    }
  for (const [place, pod] of ['pod1', 'pod10', 'pod2', 'pod', '3', '20', '1a2b', '1a10b', 'ä'].entries())
    add({ __name__: 'pods', pod, zone: place % 2 === 0 ? 'z' : 'y' }, (scrape) => (scrape * 7 + place * 13) % 11)
  for (const service of ['x', 'y z'])
    add({ __name__: 'größe', 'service.name': service, '0 odd"\\': service }, (scrape) => Math.sin(scrape) * 10)
  for (const job of ['api', 'web'])
    for (const [place, le] of ['-1', '0', '0.5', '1', '1.0', '5', '+Inf'].entries())
      add({ __name__: 'sizes_bucket', job, le }, (scrape) => (place + 1) * (scrape + (job === 'api' ? 1 : 0)))
  const odd = [NaN, 3, Infinity, -Infinity, -0, 1e300, -7, 5e-324, NaN, NaN, 0.5, -1e300]
  for (const pace of [1, 5, 7])
    add({ __name__: 'oddities', pace: String(pace) }, (scrape) => odd[(scrape * pace) % odd.length] ?? NaN)
  return [...generatedSeries(), ...more]
}
