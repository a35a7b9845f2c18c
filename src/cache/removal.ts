import { isFresh, type StoredRecord } from './entry.ts'

/** Selects entries of an organization. A pattern with `*` or `?` is a glob over the key, otherwise a prefix. */
export type Removal =
  | { type: 'key'; key: string }
  | { type: 'slo'; sloId: number }
  | { type: 'pattern'; pattern: string }
  | { type: 'expired' }
  | { type: 'all' }

type Named = Pick<StoredRecord, 'organizationId' | 'key' | 'sloId'>

/** Matches the names of entries to remove; `expired` matches none. */
export function nameMatcher(organizationId: number, removal: Removal): (name: Named) => boolean {
  const matchesRemoval = matcherOf(removal)
  return (name) => name.organizationId === organizationId && matchesRemoval(name)
}

/** Matches the entries to remove. */
export function recordMatcher(organizationId: number, removal: Removal, nowMs: number): (one: StoredRecord) => boolean {
  if (removal.type !== 'expired') return nameMatcher(organizationId, removal)
  return (record) => record.organizationId === organizationId && !isFresh(record, nowMs)
}

function matcherOf(removal: Removal): (name: Named) => boolean {
  if (removal.type === 'key') return ({ key }) => key === removal.key
  if (removal.type === 'slo') return ({ sloId }) => sloId === removal.sloId
  if (removal.type === 'pattern') {
    const fits = keyMatcher(removal.pattern)
    return ({ key }) => fits(key)
  }
  return () => removal.type === 'all'
}

/** Matches keys by a pattern: with `*` or `?` a glob over the whole key, otherwise a prefix. */
export function keyMatcher(pattern: string): (key: string) => boolean {
  if (!/[*?]/.test(pattern)) return (key) => key.startsWith(pattern)
  const glob = [...pattern]
  return (key) => fitsGlob(glob, [...key])
}

/** Backtracks to the latest `*` only, so that no match takes longer than pattern times key. */
function fitsGlob(pattern: string[], key: string[]): boolean {
  let patternIndex = 0
  let starIndex = -1
  let resumeIndex = 0
  for (let keyIndex = 0; keyIndex < key.length;) {
    if (pattern[patternIndex] === '*') {
      starIndex = patternIndex
      patternIndex += 1
      resumeIndex = keyIndex
    } else if (
      patternIndex < pattern.length &&
      (pattern[patternIndex] === '?' || pattern[patternIndex] === key[keyIndex])
    ) {
      patternIndex += 1
      keyIndex += 1
    } else if (starIndex >= 0) {
      patternIndex = starIndex + 1
      resumeIndex += 1
      keyIndex = resumeIndex
    } else {
      return false
    }
  }
  return pattern.slice(patternIndex).every((char) => char === '*')
}
