import { bothSeverities } from './recipients.ts'

/** Choices of the severity of a rule for burn rates; null: both. */
export const severities = [
  [null, bothSeverities],
  ['page', 'Page (urgent) only'],
  ['ticket', 'Ticket (can wait) only'],
] as const
