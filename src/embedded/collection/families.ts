import type { FamilyMetadata } from '../exposition/sample.ts'

/** What a target says of a metric family; empty where it says nothing. */
export type Family = { metric: string; type: string; help: string; unit: string }

const maxFamilies = 2000
const maxHelp = 500
const maxListed = 20_000

/** What is kept of the metadata of a scrape: copies, for what was parsed keeps the whole body alive. */
export function keptFamilies(metadata: ReadonlyMap<string, FamilyMetadata>): Family[] {
  const some = [...metadata].slice(0, maxFamilies)
  return JSON.parse(
    JSON.stringify(
      some.map(([metric, { type = 'unknown', help = '', unit = '' }]): Family => {
        return { metric, type, help: help.slice(0, maxHelp), unit }
      }),
    ),
  )
}

/** Families of several targets, of the first 20,000, in order of name; what they say alike is there once. */
export function distinctFamilies(all: Family[]): Family[] {
  const byText = new Map(all.slice(0, maxListed).map((family) => [JSON.stringify(family), family]))
  return [...byText.values()].toSorted((a, b) => (a.metric < b.metric ? -1 : a.metric > b.metric ? 1 : 0))
}
