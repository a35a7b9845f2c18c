import type { FamilyMetadata } from '../exposition/sample.ts'

/** Metadata of a metric family as a target exposes it; `type` is `unknown` and the others are empty if missing. */
export type Family = { metric: string; type: string; help: string; unit: string }

const maxFamilies = 2000
export const maxHelpCharacters = 500
const maxListed = 20_000

/** First 2000 families in the metadata of a scrape. Copied by JSON, because a part of a string keeps the whole string in memory. */
export function limitedFamilies(metadata: ReadonlyMap<string, FamilyMetadata>): Family[] {
  const limited = [...metadata].slice(0, maxFamilies)
  return JSON.parse(
    JSON.stringify(
      limited.map(([metric, { type = 'unknown', help = '', unit = '' }]): Family => {
        return { metric, type, help: help.slice(0, maxHelpCharacters), unit }
      }),
    ),
  )
}

/** Distinct families of several targets, sorted by name; looks at the first 20,000. */
export function distinctFamilies(all: Family[]): Family[] {
  const byText = new Map(all.slice(0, maxListed).map((family) => [JSON.stringify(family), family]))
  return [...byText.values()].toSorted((a, b) => (a.metric < b.metric ? -1 : a.metric > b.metric ? 1 : 0))
}
