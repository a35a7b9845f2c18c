/** One of everything that has an id; each column of text in it says whose it is. */
export type Things = {
  user: number
  slo: number
  source: number
  team: number
  invitation: number
  apiToken: number
  oauthClient: string
  sourceQuery: number
  cacheKey: string
  channel: number
  alert: number
  silence: number
  rule: number
  notification: number
  target: number
  probe: number
  incident: number
}
