import { setTimeout as pause } from 'node:timers/promises'
import { type ChannelDeps, defineChannel, receiverKey, type Outcome } from '../channel.ts'
import { readFields } from '../configuration.ts'
import { readRetryAfter } from '../../../http/outbound/retry-after.ts'
import { jsonValueAt, exchange, outcomeOf, type HttpRequest } from '../http.ts'
import { opsgenie as schema } from '../schemas/incident.ts'
import { alertOf, actionBody, type Configuration, readResponders } from './opsgenie-alert.ts'

/**
 * Opsgenie's Alert API v2 (docs.opsgenie.com/docs/alert-api) and, with `mode: jsm`, its successor, the Operations API of Jira
 * Service Management (developer.atlassian.com/cloud/jira/service-desk-ops/rest). An alert or a message creates an alert there,
 * an acknowledgement acknowledges it by its alias, a recovery closes it. `api_url` defaults to https://api.opsgenie.com or
 * https://api.atlassian.com. The European Opsgenie is https://api.eu.opsgenie.com. The API key of a JSM integration works in
 * mode `genie` at https://api.atlassian.com/jsm/ops/integration.
 *
 * Both answer 202 and process the request later. The outcome is `delivered`, with the request id as note. nines does not query
 * the status of the request: right after the 202 it mostly does not exist yet.
 */
export const opsgenie = createOpsgenie({ againMs: 1500 })

/** Creates the channel type. `againMs`: delay before an alert that was not found in JSM is looked up once more. */
export function createOpsgenie({ againMs }: { againMs: number }) {
  return defineChannel({
    product: 'opsgenie',
    schema,
    read: (input): Configuration => readFields(schema, input, { responders: readResponders }),
    opensIncidents: true,
    acknowledgesIncidents: true,
    async send(deps, configuration, message, signal) {
      const api = apiOf(deps, configuration, signal)
      const alias = receiverKey(message)
      if (message.event === 'alert' || message.event === 'message') {
        return api.post('', alertOf(configuration, message, alias))
      }
      const action = message.event === 'recovery' ? 'close' : 'acknowledge'
      if (configuration.mode === 'jsm') return actByAlias(api, { alias, action }, againMs, signal)
      return api.post(`/${encodeURIComponent(alias)}/${action}?identifierType=alias`, actionBody(message))
    },
  })
}

function apiOf(deps: ChannelDeps, configuration: Configuration, signal: AbortSignal): Api {
  const { alerts, authorization } = accessOf(configuration)
  const api: Api = {
    call: (path, request) => exchange(deps, alerts + path, { ...request, headers: { authorization } }, signal),
    outcomeOf: (result) => ('failure' in result ? result.failure : outcomeOfAnswer(result, deps)),
    post: async (path, json) => api.outcomeOf(await api.call(path, { json })),
  }
  return api
}

function accessOf(configuration: Configuration): { alerts: string; authorization: string } {
  if (configuration.mode === 'genie') {
    const { api_url = 'https://api.opsgenie.com', api_key } = configuration
    return { alerts: `${api_url}/v2/alerts`, authorization: `GenieKey ${api_key}` }
  }
  const { api_url = 'https://api.atlassian.com', cloud_id, email: user, api_token } = configuration
  return {
    alerts: `${api_url}/jsm/ops/api/${cloud_id}/v1/alerts`,
    authorization: `Basic ${Buffer.from(`${user}:${api_token}`).toString('base64')}`,
  }
}

/** Outcome of a response. Opsgenie sends the retry time in the header X-RateLimit-Period-In-Sec. */
function outcomeOfAnswer({ answer }: Extract<Exchanged, { answer: unknown }>, deps: ChannelDeps): Outcome {
  const period = answer.status === 429 ? answer.headers.get('x-ratelimit-period-in-sec') : null
  const outcome = outcomeOf(answer, deps, readRetryAfter(period, deps.clock.now()))
  return outcome.outcome === 'delivered' ? { ...outcome, ...requestIn(answer.json) } : outcome
}

function requestIn(json: unknown): { note?: string } {
  const id = jsonValueAt(json, 'requestId')
  return typeof id === 'string' ? { note: `request ${id.slice(0, 100)}` } : {}
}

type Exchanged = Awaited<ReturnType<typeof exchange>>

/** Requests with the credentials; paths are relative to the alerts URL. */
type Api = {
  call(path: string, request: HttpRequest): Promise<Exchanged>
  outcomeOf(result: Exchanged): Outcome
  /** Posts and returns the outcome. */
  post(path: string, json?: unknown): Promise<Outcome>
}

/**
 * Closes or acknowledges the alert with an alias in Jira Service Management, which does both by id only and documents no body.
 * If no alert is open, somebody has closed it: the outcome is `delivered`, with a note. An alert becomes visible a moment after
 * it was accepted, and its recovery may follow at once if both waited for the receiver to come back. So an alert that is not
 * found is looked up once more, `againMs` later.
 */
async function actByAlias(
  api: Api,
  { alias, action }: { alias: string; action: 'close' | 'acknowledge' },
  againMs: number,
  signal: AbortSignal,
): Promise<Outcome> {
  const first = await openAlert(api, alias)
  if (first !== 'none') return act(first)
  await pause(againMs, undefined, { signal }).catch(() => undefined) // the next request throws for an abort
  const second = await openAlert(api, alias)
  if (second !== 'none') return act(second)
  return { outcome: 'delivered', statusCode: 404, note: `there is no open alert with this alias: nothing to ${action}` }

  async function act(target: { id: string } | { other: Outcome }): Promise<Outcome> {
    return 'other' in target ? target.other : api.post(`/${encodeURIComponent(target.id)}/${action}`)
  }
}

async function openAlert(api: Api, alias: string): Promise<{ id: string } | { other: Outcome } | 'none'> {
  const result = await api.call(`/alias?alias=${encodeURIComponent(alias)}`, { method: 'GET' })
  if ('failure' in result) return { other: result.failure }
  const { status, json } = result.answer
  if (status === 404) return 'none'
  if (status < 200 || status >= 300) return { other: api.outcomeOf(result) }
  const id = jsonValueAt(json, 'id')
  if (typeof id !== 'string') {
    return { other: { outcome: 'failed', statusCode: status, error: 'the receiver named no id of the alert' } }
  }
  return jsonValueAt(json, 'status') === 'closed' ? 'none' : { id }
}
