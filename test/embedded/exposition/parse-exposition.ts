import { runSync } from '../../../src/concurrency/cooperative.ts'
import { type Exposition, parsingExposition } from '../../../src/embedded/exposition/parse.ts'
import { defaultLimits, type ExpositionLimits } from '../../../src/embedded/exposition/sample.ts'
import { createScrapeCache } from '../../../src/embedded/exposition/scrape-cache.ts'

type Options = { contentType: string | null; keepEmpty?: boolean; limits?: Partial<ExpositionLimits> }

/** Parses a body as the first scrape of a target. */
export function parseExposition(body: string | Uint8Array, options: Options): Exposition {
  const { contentType, keepEmpty = false, limits } = options
  const cache = createScrapeCache({ keepEmpty, limits: { ...defaultLimits, ...limits } })
  return runSync(parsingExposition(typeof body === 'string' ? Buffer.from(body) : body, contentType, cache))
}
