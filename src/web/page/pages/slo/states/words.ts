import { sentence } from '../../../format.ts'

/** Source that an SLO is queried from. */
export function sourceSentence<Part>(source: Part, isActive: boolean): (Part | string)[] {
  return isActive ? sentence`Source: ${source}.` : sentence`Source: ${source}, switched off.`
}
