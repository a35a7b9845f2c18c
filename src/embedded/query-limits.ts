/**
 * What queries may hold in memory. `ordinarySamples`: each of those at once; `largeSamples`: one at a time; `points`: an
 * answer, until it has been read.
 */
export type QueryLimits = { ordinarySamples: number; largeSamples: number; points: number; series: number }

/** As `--query.max-samples` of Prometheus. */
const maxSamples = 50_000_000
const maxPoints = 10_000_000
const maxSeries = 100_000

/** Sixteen of a sample, and as many of what is made of it. */
const bytesOfSample = 32
const bytesOfPoint = 16

/** GroupCommit a quarter of the memory there is: an eighth for one that is large, a 64th for each of four others and of four answers. */
export function queryLimits(memoryBytes: number): QueryLimits {
  const share = (part: number, each: number, most: number) => Math.min(most, Math.floor(memoryBytes / part / each))
  return {
    ordinarySamples: share(64, bytesOfSample, maxSamples),
    largeSamples: share(8, bytesOfSample, maxSamples),
    points: share(64, bytesOfPoint, maxPoints),
    series: maxSeries,
  }
}
