import type { TimedNines } from '../support/timed-nines.ts'

const account = { email: 'ada@example.com', name: 'Ada', password: 'correct horse', organization_name: 'Ada Inc' }

/** Starts nines, registers an account, and starts it again with the token of that account. */
export async function startRegistered(start: (token: string) => Promise<TimedNines>): Promise<Registered> {
  const first = await start('')
  const { access_token: token } = await post(first, '/auth/register', account)
  await first.kill()
  return { nines: await start(token), token }
}

type Registered = { nines: TimedNines; token: string }

/** Sends a body and returns the answer's; throws on an error. */
export async function post(nines: TimedNines, path: string, body: object) {
  const answer = await nines.call('POST', `/api/v1${path}`, body)
  if (answer.status > 201) throw new Error(`${path}: ${answer.text}`)
  return answer.body.data ?? answer.body
}

/** Creates a webhook that is notified of all SLOs. */
export async function addDefaultWebhook(nines: TimedNines, webhook_url: string): Promise<void> {
  await post(nines, '/notifications/channels', {
    name: 'hook',
    channel_type: 'webhook',
    is_default: true,
    configuration: { webhook_url },
  })
}

/** An SLO over 30 days: 99.9 % of the requests to a service have no code 5xx. */
export function answersOf(service: string) {
  const sum = (matcher: string) => `sum(rate(http_requests_total{service="${service}"${matcher}}[5m]))`
  return {
    name: `${service} answers`,
    target: 99.9,
    time_window: '30d',
    metric_type: 'availability',
    bad_query: sum(',code=~"5.."'),
    total_query: sum(''),
  }
}
