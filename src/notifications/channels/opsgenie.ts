import { type ChannelDeps, defineChannel, type Given, type Outcome } from './channel.ts'
import { baseUrl, oneOf, required } from './configuration.ts'
import { at, exchange, outcomeOf, readRetryAfter } from './http.ts'
import { type Alert, alertOf, closing, readAlert } from './opsgenie-alert.ts'
import { type Api, closeByAlias, type Exchanged } from './opsgenie-jsm.ts'
import { incidentKey, matching } from './incidents.ts'

type Configuration = Alert & { api_url?: string } & (Genie | Jsm)
type Genie = { mode: 'genie'; api_key: string; cloud_id?: never; email?: never; api_token?: never }
type Jsm = { mode: 'jsm'; cloud_id: string; email: string; api_token: string; api_key?: never }

const credential = matching(/^[\x21-\x7e]+$/, 'printable ASCII without spaces')
const cloudId = matching(/^[A-Za-z0-9-]{1,100}$/, 'letters, digits and hyphens')
const email = matching(/^[^\s:@]+@[^\s:@]+$/, 'an e-mail address')

/**
 * Opsgenie's Alert API v2 (docs.opsgenie.com/docs/alert-api) and, with `mode: jsm`, its successor, the Operations API of
 * Jira Service Management (developer.atlassian.com/cloud/jira/service-desk-ops/rest). An alert or a message creates an
 * alert there, a recovery closes it by its alias. `api_url`, where not given, is https://api.opsgenie.com or
 * https://api.atlassian.com; the European Opsgenie is https://api.eu.opsgenie.com, and the API key of an integration of
 * JSM works in mode `genie` at https://api.atlassian.com/jsm/ops/integration.
 *
 * Both answer 202 and do the work afterwards. That is `delivered`, its note the request id: the status of the request is
 * not asked for, since right after the 202 there mostly is none yet.
 */
export const opsgenie = createOpsgenie({ againMs: 1500 })

/** `againMs`: after how long it looks once more for an alert that it is to close, and did not find. */
export function createOpsgenie({ againMs }: { againMs: number }) {
  return defineChannel<Configuration>({
    product: 'opsgenie',
    read(given) {
      const credentials = readCredentials(given)
      const url = baseUrl(given, 'api_url')
      return { ...credentials, ...(url !== undefined && { api_url: url }), ...readAlert(given, credentials.mode) }
    },
    secrets: ['api_key', 'api_token'],
    destinations: ['api_url', 'mode'],
    opensIncidents: true,
    async send(deps, configuration, message, signal) {
      const api = apiOf(deps, configuration, signal)
      const alias = incidentKey(message)
      if (message.event !== 'recovery') return api.post('', alertOf(configuration, message, alias))
      if (configuration.mode === 'jsm') return closeByAlias(api, alias, againMs, signal)
      return api.post(`/${encodeURIComponent(alias)}/close?identifierType=alias`, closing(message))
    },
  })
}

function readCredentials(given: Given): Genie | Jsm {
  const mode = oneOf('genie', 'jsm')(given, 'mode') ?? 'genie'
  if (mode === 'genie') return { mode, api_key: required(given, 'api_key', credential, 'must be the API key') }
  return {
    mode,
    cloud_id: required(given, 'cloud_id', cloudId, 'must be the cloud id of the site'),
    email: required(given, 'email', email, 'must be the e-mail address of who owns the API token'),
    api_token: required(given, 'api_token', credential, 'must be the API token'),
  }
}

function apiOf(deps: ChannelDeps, configuration: Configuration, signal: AbortSignal): Api {
  const { alerts, authorization } = accessOf(configuration)
  const api: Api = {
    ask: (path, request) => exchange(deps, alerts + path, { ...request, headers: { authorization } }, signal),
    outcomeOf: (result) => ('broken' in result ? result.broken : assessed(result, deps)),
    post: async (path, json) => api.outcomeOf(await api.ask(path, { json })),
  }
  return api
}

function accessOf(given: Configuration): { alerts: string; authorization: string } {
  if (given.mode === 'genie') {
    const { api_url = 'https://api.opsgenie.com', api_key } = given
    return { alerts: `${api_url}/v2/alerts`, authorization: `GenieKey ${api_key}` }
  }
  const { api_url = 'https://api.atlassian.com', cloud_id, email: user, api_token } = given
  return {
    alerts: `${api_url}/jsm/ops/api/${cloud_id}/v1/alerts`,
    authorization: `Basic ${Buffer.from(`${user}:${api_token}`).toString('base64')}`,
  }
}

/** As usual, but for when to come again, which is in a header of Opsgenie's own. */
function assessed({ answer }: Extract<Exchanged, { answer: unknown }>, deps: ChannelDeps): Outcome {
  const period = answer.status === 429 ? answer.headers.get('x-ratelimit-period-in-sec') : null
  const outcome = outcomeOf(answer, deps, readRetryAfter(period, deps.clock.now()))
  return outcome.outcome === 'delivered' ? { ...outcome, ...requestIn(answer.json) } : outcome
}

function requestIn(json: unknown): { note?: string } {
  const id = at(json, 'requestId')
  return typeof id === 'string' ? { note: `request ${id.slice(0, 100)}` } : {}
}
