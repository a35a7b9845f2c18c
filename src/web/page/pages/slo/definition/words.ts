import { sentence } from '../../../format.ts'

/** Source of an SLO. `isDefault`: it follows the default source. */
export function sourceWords(name: string | null, isDefault: boolean): string {
  if (name === null) return 'none'
  return isDefault ? `${name}, the default` : name
}

/** When an SLO was created, and by whom. */
export function createdWords<Part>(at: Part, by: string | null): (Part | string)[] {
  return by === null ? [at] : sentence`${at} by ${by}`
}

const methods: Record<string, string | undefined> = {
  weighted: 'the mean of its members, by weight',
  events: 'all events of its members together',
  worst: 'the lowest of its members',
}

/** Kind of an SLO over SLOs, with the way of combining them. */
export function journeyWords(members: number, method: string): string {
  return `A journey of ${members} SLOs: ${methods[method] ?? method}`
}

/** Revision of an SLO, and since when it is measured. */
export function revisionWords<Part>(revision: number, since: Part): (Part | string)[] {
  return sentence`${String(revision)}, measured since ${since}`
}
