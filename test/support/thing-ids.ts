/** Ids of one thing of each kind. Every text column of these rows contains the owner's name. */
export type Things = {
  user: number
  slo: number
  source: number
  team: number
  invitation: number
  apiToken: number
  session: number
  oauthClient: string
  sourceQuery: number
  cacheKey: string
  channel: number
  alert: number
  silence: number
  annotation: number
  report: number
  reportSchedule: number
  correction: number
  rule: number
  notification: number
  target: number
  probe: number
  heartbeat: number
  incident: number
  openIncident: number
}
