import { bothSeverities } from './recipients.ts'

/** Choice of the urgency of a rule for burn rates; null: of both. */
export const severities = [
  [null, bothSeverities],
  ['page', 'Page (urgent) only'],
  ['ticket', 'Ticket (can wait) only'],
] as const
