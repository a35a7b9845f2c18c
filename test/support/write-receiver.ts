import { snappyUncompress } from 'hysnappy'
import { runSync } from '../../src/concurrency/cooperative.ts'
import { readingVersion1 } from '../../src/embedded/ingest/read-version-1.ts'
import { isStale } from '../../src/embedded/promql/reader.ts'

/** A request of remote write; `samples`: `{label="value",…} time value` of each. */
type Written = { path: string; headers: Headers; samples: string[] }

export type WriteReceiver = {
  url: string
  written: Written[]
  /** Samples of all requests that were accepted. */
  accepted(): string[]
  /** Sets the answers for the next requests; afterwards they are accepted again. */
  next(...answers: Response[]): void
  close(): Promise<void>
}

/** Samples of the body of a request, read by nines' own reader. */
export function samplesOfBody(body: Uint8Array): string[] {
  let [length, scale] = [0, 1]
  for (const byte of body) {
    length += (byte & 127) * scale
    scale *= 128
    if (byte < 128) break
  }
  const { firstSamples, samples, labelsOf } = runSync(readingVersion1(snappyUncompress(body, length)))
  return firstSamples.slice(1).flatMap((end, series) => {
    const labels = labelsOf(series).map(([name, value]) => `${name}="${value}"`)
    return Array.from({ length: end - (firstSamples[series] ?? 0) }, (_, offset) => {
      const at = (firstSamples[series] ?? 0) + offset
      const value = isStale(samples.values, at) ? 'stale' : samples.values[at]
      return `{${labels.join()}} ${samples.timesMs[at]} ${value}`
    })
  })
}

/** A receiver of remote write 1.0 on 127.0.0.1. */
export function startWriteReceiver(): WriteReceiver {
  const written: Written[] = []
  const accepted: string[] = []
  const answers: Response[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url)
      const samples = samplesOfBody(await request.bytes())
      written.push({ path: pathname + search, headers: request.headers, samples })
      const answer = answers.shift() ?? new Response(null, { status: 204 })
      if (answer.ok) accepted.push(...samples)
      return answer
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    written,
    accepted: () => accepted,
    next: (...more) => void answers.push(...more),
    close: () => server.stop(true),
  }
}
