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
