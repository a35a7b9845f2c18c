import type { IncidentRow } from '../../db/tables/tables.ts'
import type { FailureCause } from '../../evaluation/evaluation-store.ts'
import { truncate } from '../channels/http.ts'
import type { IncidentCause } from '../notification-data.ts'
import { formatShare } from '../templates/template-data.ts'

const maxValueCharacters = 100

/** Cause of an incident; null: not known. */
export function causeOfIncident({ cause: stored }: Pick<IncidentRow, 'cause'>): IncidentCause | null {
  if (stored === null) return null
  const cause = JSON.parse(stored) as FailureCause
  const traffic = cause.traffic_percent === null ? '' : ` with ${formatShare(cause.traffic_percent)} % of the traffic`
  return { ...cause, text: failuresText(cause) + traffic }
}

/** Text with the share of the failures that a cause has, such as `route=/pay has 100 % of the failures`. */
export function failuresText({ label, value, failures_percent }: FailureCause): string {
  const name = value === '' ? '(none)' : truncate(value.replace(/[\s\p{Cc}]+/gu, ' '), maxValueCharacters)
  return `${label}=${name} has ${formatShare(failures_percent)} % of the failures`
}

/** Cause to store: `found` (null: no label explains the failures), or `stored` if `found` is undefined or has the same text. */
export function causeToStore(stored: string | null, found: FailureCause | null | undefined): string | null {
  if (found === undefined) return stored
  const foundJson = found && JSON.stringify(found)
  return causeOfIncident({ cause: stored })?.text === causeOfIncident({ cause: foundJson })?.text ? stored : foundJson
}
