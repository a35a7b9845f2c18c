import { type Family, limitedFamilies, maxHelpCharacters } from '../collection/families.ts'
import { maxFamilies } from './write-batch.ts'

/** Metadata of metrics as senders describe them. Senders repeat it, so it is only in memory. */
export type WrittenFamilies = {
  /** Adds a family, or replaces one with the same name; ignores it if the organization has too many. */
  add(organizationId: number, family: Family): void
  of(organizationId: number): Family[]
}

export function createWrittenFamilies(): WrittenFamilies {
  const byOrganization = new Map<number, Map<string, Family>>()
  return {
    add(organizationId, family) {
      const families = byOrganization.getOrInsertComputed(organizationId, () => new Map())
      if (isSame(families.get(family.metric), family)) return
      if (families.size >= maxFamilies && !families.has(family.metric)) return
      const [limited] = limitedFamilies(new Map([[family.metric, family]]))
      if (limited) families.set(limited.metric, limited)
    },
    of: (organizationId) => [...(byOrganization.get(organizationId)?.values() ?? [])],
  }
}

function isSame(known: Family | undefined, { type, help, unit }: Family): boolean {
  return known?.type === type && known.unit === unit && known.help === help.slice(0, maxHelpCharacters)
}
