import type { Label } from '../../../src/embedded/exposition/sample.ts'

/** Size of the stored history; `chunks` per series, `perChunk` samples. */
export type Past = { series: number; chunks: number; perChunk: number; stepSeconds: number }

/** `next`: the current series is complete. */
type Sample = { series: readonly Label[] | 'next'; timeMs: number; value: number }

export const newestSeconds = Math.floor(Date.now() / 60_000) * 60

const [full, spread] = [180, 120] // the number of samples that fill a head depends on the id of its series
const maxCharacters = 900_000 // below BODY_LIMIT even after JSON escaping

/**
 * History whose heads are nearly full of late samples, spread over all chunks. `oneMore`: a part with one more late sample for
 * each series.
 */
export function pastOf({ series, chunks, perChunk, stepSeconds }: Past) {
  const startSeconds = newestSeconds - chunks * perChunk * stepSeconds
  const lateSeconds = (at: number) =>
    startSeconds + ((at % chunks) * perChunk + 10 + 3 * Math.floor(at / chunks)) * stepSeconds + 1
  const lateOf = (one: number) => full + ((one + 1) % spread) - 1 // ids begin with 1
  return {
    *samples(): Generator<Sample> {
      const labels = Array.from({ length: series }, (_, one): Label[] =>
        Object.entries({ __name__: 'past', s: `${one}` }),
      )
      for (const own of labels) {
        for (let at = 0; at < chunks * perChunk; at += 1) {
          yield { series: own, timeMs: (startSeconds + at * stepSeconds) * 1000, value: at }
        }
        yield { series: 'next', timeMs: 0, value: 0 }
      }
      for (const [one, own] of labels.entries()) {
        for (let at = 0; at < lateOf(one); at += 1) yield { series: own, timeMs: lateSeconds(at) * 1000, value: at }
      }
    },
    oneMore: () =>
      Array.from({ length: series }, (_, one) => `past{s="${one}"} 7 ${lateSeconds(lateOf(one))}\n`).join(''),
  }
}

/** Texts of parts of the default maximum length, by content; each `client` has separate series. */
export const parts: Record<string, (client: number) => string> = {
  '400 series': (client) =>
    text((at) => `requests_total{client="${client}",series="${at % 400}"} ${at} ${newestSeconds - 90_000 + at}\n`),
  'one series, backwards': (client) => text((at) => `back${client} ${at} ${newestSeconds - 90_000 - at}\n`),
  'one series, scattered': (client) =>
    text((at) => `mixed${client} ${at} ${newestSeconds - 90_000 - ((at * 7919) % 40_009) * 60}\n`),
  '1,000 new series': (client) =>
    text(
      (at) =>
        `requests_total{client="${client}",new="${at % 1000}",path="/api/v1/things"} ${at} ${newestSeconds - at}\n`,
    ),
}

function text(line: (at: number) => string): string {
  const lines: string[] = []
  for (let [at, characters] = [0, 0]; characters < maxCharacters; at += 1) {
    const next = line(at)
    characters += next.length + (next.match(/"/g)?.length ?? 0) + 1
    lines.push(next)
  }
  return lines.join('')
}
