import { titleOf } from '../../slos/annotations/title.ts'
import type { IncidentDeploy } from '../notification-data.ts'
import type { DeployBefore } from './incident-deploy-store.ts'

/** Deploy before an incident, as messages and the API have it. */
export function deployOf(row: DeployBefore): IncidentDeploy {
  const secondsBefore = Math.max(0, Math.round(row.began_at - row.at / 1000))
  return { id: row.id, title: titleOf(row), url: row.url, seconds_before: secondsBefore }
}
