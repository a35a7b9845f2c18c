import { severityWords } from './recipients.ts'

/** Choice of the urgency of a rule for burn rates; null: of both. */
export const severities = [
  [null, `${severityWords['page']} and ${severityWords['ticket']}`],
  ['page', `${severityWords['page']} only`],
  ['ticket', `${severityWords['ticket']} only`],
] as const
