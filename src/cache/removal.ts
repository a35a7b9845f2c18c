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
  let patternAt = 0
  let star = -1
  let resumeAt = 0
  for (let keyAt = 0; keyAt < key.length;) {
    if (pattern[patternAt] === '*') {
      star = patternAt
      patternAt += 1
      resumeAt = keyAt
    } else if (patternAt < pattern.length && (pattern[patternAt] === '?' || pattern[patternAt] === key[keyAt])) {
      patternAt += 1
      keyAt += 1
    } else if (star >= 0) {
      patternAt = star + 1
      resumeAt += 1
      keyAt = resumeAt
    } else {
      return false
    }
  }
  return pattern.slice(patternAt).every((char) => char === '*')
}
