import type { Budget } from '../api/types.ts'

type Method = 'weighted' | 'events' | 'worst'

/** Ways to combine the members of a journey, an SLO over other SLOs, each as a sentence. */
export const methodWords: Record<Method, string> = {
  weighted: 'The mean of its members, by weight',
  events: 'All events of its members together',
  worst: 'The lowest of its members',
}

/** Choices of what a member with an unknown SLI does to its journey. */
export const unknownMemberWords = {
  unknown: 'The journey is unknown too',
  leave_out: 'It is left out',
} as const

/** Method of a composite in words. */
export function methodSentence(method: string): string {
  return Object.hasOwn(methodWords, method) ? methodWords[method as Method] : method
}

type Member = NonNullable<Budget['composite']>['members'][number]

/** Part of a member in the budget that is used, or why it has none. */
export function memberShareWords({ share_of_used_percent: share, problem }: Member): string {
  if (problem !== null) return problem
  return share === null ? 'left out' : `${Number(share.toFixed(1))}\u2009%`
}
