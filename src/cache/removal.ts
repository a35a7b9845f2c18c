import { type EntryRecord, isFresh } from './entry.ts'
import { keyMatcher } from './pattern.ts'

/** Which entries of an organization are meant; a pattern with `*` or `?` is a glob over the key, otherwise a prefix. */
export type Removal =
  | { type: 'key'; key: string }
  | { type: 'slo'; sloId: number }
  | { type: 'pattern'; pattern: string }
  | { type: 'expired' }
  | { type: 'all' }

type Named = Pick<EntryRecord, 'organizationId' | 'key' | 'sloId'>

/** Tells which names are meant; what is expired is not told by its name. */
export function nameMatcher(organizationId: number, removal: Removal): (name: Named) => boolean {
  const isMeant = matcherOf(removal)
  return (name) => name.organizationId === organizationId && isMeant(name)
}

export function recordMatcher(organizationId: number, removal: Removal, nowMs: number): (one: EntryRecord) => boolean {
  if (removal.type !== 'expired') return nameMatcher(organizationId, removal)
  return (record) => record.organizationId === organizationId && !isFresh(record, nowMs)
}

function matcherOf(removal: Removal): (name: Named) => boolean {
  switch (removal.type) {
    case 'key':
      return ({ key }) => key === removal.key
    case 'slo':
      return ({ sloId }) => sloId === removal.sloId
    case 'pattern': {
      const fits = keyMatcher(removal.pattern)
      return ({ key }) => fits(key)
    }
    case 'all':
      return () => true
    case 'expired':
      return () => false
  }
}
