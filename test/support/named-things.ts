import { pagePaths } from '../../src/web/page-routes.ts'
import type { Things } from './populated.ts'

/** The kind of thing that the parameter of each path identifies. */
const named: Record<string, keyof Things> = {
  '/api/v1/annotations/:id': 'annotation',
  '/api/v1/annotations/:id/cost': 'annotation',
  '/api/v1/reports/:id': 'report',
  '/api/v1/reports/schedules/:id': 'reportSchedule',
  '/api/v1/auth/applications/:id': 'oauthClient',
  '/api/v1/auth/sessions/:id': 'session',
  '/api/v1/auth/tokens/:id': 'apiToken',
  '/api/v1/cache/entry/:key': 'cacheKey',
  '/api/v1/corrections/:id': 'correction',
  '/api/v1/embedded/heartbeats/:id': 'heartbeat',
  '/api/v1/embedded/heartbeats/:id/rotate': 'heartbeat',
  '/api/v1/embedded/heartbeats/:id/slos': 'heartbeat',
  '/api/v1/embedded/probes/:id': 'probe',
  '/api/v1/embedded/probes/:id/slos': 'probe',
  '/api/v1/embedded/probes/:id/test': 'probe',
  '/api/v1/embedded/targets/:id': 'target',
  '/api/v1/embedded/targets/:id/slos': 'target',
  '/api/v1/embedded/targets/:id/test': 'target',
  '/api/v1/incidents/:id': 'openIncident',
  '/api/v1/incidents/:id/account': 'openIncident',
  '/api/v1/incidents/:id/acknowledge': 'openIncident',
  '/api/v1/incidents/:id/close': 'openIncident',
  '/api/v1/incidents/:id/note': 'openIncident',
  '/api/v1/notifications/:id': 'notification',
  '/api/v1/notifications/:id/attempts': 'notification',
  '/api/v1/notifications/:id/resend': 'notification',
  '/api/v1/notifications/alerts/:id': 'alert',
  '/api/v1/notifications/alerts/:id/acknowledge': 'alert',
  '/api/v1/notifications/rules/:id': 'rule',
  '/api/v1/notifications/silences/:id': 'silence',
  '/api/v1/notifications/channels/:id': 'channel',
  '/api/v1/oauth/clients/:id': 'oauthClient',
  '/api/v1/organization/invitations/:id': 'invitation',
  '/api/v1/organization/teams/:id': 'team',
  '/api/v1/organization/users/:id': 'user',
  '/api/v1/organization/users/:id/sessions': 'user',
  '/api/v1/slos/:id': 'slo',
  '/api/v1/slos/:id/alerting': 'slo',
  '/api/v1/slos/:id/budget': 'slo',
  '/api/v1/slos/:id/burn-rates': 'slo',
  '/api/v1/slos/:id/incidents': 'slo',
  '/api/v1/slos/:id/incidents/:key/breakdown': 'slo',
  '/api/v1/slos/:id/checks': 'slo',
  '/api/v1/slos/:id/series': 'slo',
  '/api/v1/slos/:id/evaluations': 'slo',
  '/api/v1/slos/:id/changes': 'slo',
  '/api/v1/slos/:id/periods': 'slo',
  '/api/v1/slos/:id/periods/:start/recompute': 'slo',
  '/api/v1/slos/:id/recipients': 'slo',
  '/api/v1/slos/:id/timeline': 'slo',
  '/api/v1/slos/:id/backfill': 'slo',
  '/api/v1/tsdb/queries/:id': 'sourceQuery',
  '/api/v1/tsdb/queries/:id/executions': 'sourceQuery',
  '/api/v1/tsdb/sources/:id': 'source',
  '/api/v1/tsdb/sources/:id/suggestions': 'source',
  '/api/v1/tsdb/sources/:id/slos': 'source',
  '/api/v1/tsdb/sources/:id/test': 'source',
}

/** Routes of the Prometheus API, which answer in its format. */
export const asPrometheus = /^\/api\/v1\/(?:embedded|tsdb\/sources\/:id)\/prometheus\//

/** Suffix of routes whose parameter is a label name, which belongs to no organization. */
export const labelValuesSuffix = '/label/:name/values'

/** True for paths of the web page and its assets, which are the same for every user and parameter. */
export function isPage(path: string): boolean {
  return path === '/assets/:name' || pagePaths.some((one) => one === path)
}

/** Replaces the parameter of a path by the id of a thing. Throws for a path that is not in the table above. */
export function pathTo(path: string, things: Things): string {
  if (path.endsWith(labelValuesSuffix)) return pathTo(path.replace(':name', 'job'), things)
  if (!path.includes(':')) return path
  if (isPage(path)) return path.replace(/:\w+/, '1')
  const thing = asPrometheus.test(path) ? 'source' : named[path]
  if (!thing) throw new Error(`${path} is new to the tests of all routes: add it to test/support/named-things.ts`)
  const withId = path.replace(/:\w+/, encodeURIComponent(things[thing]))
  return withId.replace(':key', String(things.incident)).replace(':start', '2026-10-01T00:00:00Z')
}
