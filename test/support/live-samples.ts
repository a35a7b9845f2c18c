import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { type EncodedLabels, encodeLabels, type RemoteSample } from './remote-write.ts'

type Series = { name: string; instance: string | undefined; labels: EncodedLabels; samples: Sample[] }
type Sample = { atSeconds: number; value: number }

const scrapeSeconds = 60

/**
 * Splits the OpenMetrics text of `gen-truth.py`. Samples scraped before `fromSeconds` are written to `earlierFile`. The rest is
 * returned in order of time, with staleness markers where a series ends while monitoring continues.
 */
export function liveSamples(metricsFile: string, fromSeconds: number, earlierFile: string): RemoteSample[] {
  const live = split(metricsFile, fromSeconds, earlierFile)
  const ups = live.filter(({ name }) => name === 'up')
  const scrapes = new Set(ups.flatMap((up) => up.samples.map(({ atSeconds }) => `${up.instance} ${atSeconds}`)))
  const endSeconds = Math.max(...live.flatMap(({ samples }) => samples.map(({ atSeconds }) => atSeconds)))
  const sent = live.flatMap(({ labels, instance, samples }) =>
    samples.flatMap(({ atSeconds, value }, index): RemoteSample[] => {
      const [following, dueSeconds] = [samples[index + 1], atSeconds + scrapeSeconds]
      const isMissed = dueSeconds <= endSeconds && following?.atSeconds !== dueSeconds
      const isNoticed = !following || scrapes.has(`${instance} ${dueSeconds}`)
      const sample = { labels, atMs: atSeconds * 1000, value }
      return isMissed && isNoticed ? [sample, { labels, atMs: dueSeconds * 1000, value: 'stale' }] : [sample]
    }),
  )
  return sent.filter(({ atMs }) => atMs >= fromSeconds * 1000).toSorted((a, b) => a.atMs - b.atMs)
}

/** Series with their samples since the last scrape before `fromSeconds`, which may be the last of a series. */
function split(metricsFile: string, fromSeconds: number, earlierFile: string): Series[] {
  const text = readFileSync(metricsFile)
  const earlier = openSync(earlierFile, 'w')
  const found = new Map<string, Series>()
  let keptTo = 0
  for (let start = 0, end: number; start < text.length; start = end + 1) {
    end = text.indexOf('\n', start)
    const atSeconds = text[start] === comment ? 0 : timeAt(text, end)
    if (atSeconds >= fromSeconds - scrapeSeconds) addSample(found, text.toString('latin1', start, end), atSeconds)
    if (atSeconds < fromSeconds) continue
    writeSync(earlier, text, keptTo, start - keptTo)
    keptTo = end + 1
  }
  writeSync(earlier, text, keptTo)
  closeSync(earlier)
  return [...found.values()]
}

const comment = '#'.charCodeAt(0)
const timeDigits = 10

/** Unix seconds written before `end`; parsed from bytes for speed, since there are millions of lines. */
function timeAt(text: Buffer, end: number): number {
  let seconds = 0
  for (let index = end - timeDigits; index < end; index += 1) seconds = seconds * 10 + (text[index] ?? 0) - 48
  return seconds
}

function addSample(found: Map<string, Series>, line: string, atSeconds: number) {
  const [key = '', value = ''] = line.split(' ')
  const series = found.getOrInsertComputed(key, parseSeries)
  series.samples.push({ atSeconds, value: Number(value.replace('Inf', 'Infinity')) })
}

function parseSeries(text: string): Series {
  const [, name = '', list = ''] = /^(\w+)(?:\{(.*)\})?$/.exec(text) ?? []
  const labels = Object.fromEntries([...list.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, value]) => [key, value ?? '']))
  return { name, instance: labels['instance'], labels: encodeLabels({ __name__: name, ...labels }), samples: [] }
}
