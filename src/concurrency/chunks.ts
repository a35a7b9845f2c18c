/** Splits a list into chunks of at most `size`, in order. */
export function inChunks<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, at) => all.slice(at * size, (at + 1) * size))
}

const maxBytesOfPart = 524_288
const maxItemsOfPart = 500

/** Splits a list into chunks of about 512 kB, measured by `bytesOf`, and of at most 500 items, in order. */
export function* boundedByBytes<T>(all: Iterable<T>, bytesOf: (one: T) => number): Generator<T[]> {
  let part: T[] = []
  let bytes = 0
  for (const one of all) {
    part.push(one)
    bytes += bytesOf(one)
    if (bytes < maxBytesOfPart && part.length < maxItemsOfPart) continue
    yield part
    part = []
    bytes = 0
  }
  if (part.length > 0) yield part
}
