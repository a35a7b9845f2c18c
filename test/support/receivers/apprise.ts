import { type Received, type Receiver, startReceiver } from '../receiver.ts'
import { refuse, type Refusal } from './refusal.ts'

/** Answers of /notify. Source: README of caronc/apprise-api, its views. */
export const appriseRefusals = {
  nobody: {
    status: 204,
    body: '',
    outcome: 'failed',
    error: 'the receiver answered 204: nothing is configured for this key or tag',
  },
  bad_request: { status: 400, body: { error: 'Bad FORM Payload provided', details: [] }, outcome: 'failed' },
  denied: { status: 403, body: { error: 'The site has been configured to deny this request' }, outcome: 'failed' },
  not_found: { status: 404, body: '<html></html>', outcome: 'failed' },
  some_failed: {
    status: 424,
    body: { error: 'One or more notification could not be sent', details: [] },
    outcome: 'retry',
  },
  too_large: { status: 431, body: { error: 'The payload is too large' }, outcome: 'failed' },
  server_error: { status: 500, body: { error: 'An error occurred notifying the server' }, outcome: 'retry' },
} as const satisfies Record<string, Refusal>

type Shown = { to: string; title: string; body: string; type: string }

export type Apprise = Receiver & {
  /** Messages passed on, in order; `to`: a key with its tag, or URLs. */
  shown: Shown[]
  refuse(...refusals: Refusal[]): void
}

const keys = new Set(['title', 'body', 'type', 'format', 'tag', 'urls'])

/** Accepts valid API requests for one configuration `ops` with the tag `page`; 204 for all others. */
export function startApprise({ authorization = null as string | null } = {}): Apprise {
  const shown: Shown[] = []
  const receiver = startReceiver((request) => {
    const refusal = refusalOf(request)
    if (refusal) return refuse(appriseRefusals[refusal])
    const { title, body, type, tag, urls } = request.json
    shown.push({ to: urls ?? ['ops', ...(tag === undefined ? [] : [tag])].join(' '), title, body, type })
    return Response.json({ error: null, details: [['INFO', '2026-03-01', 'Sent']] })
  })

  function refusalOf({ method, path, headers, json }: Received): keyof typeof appriseRefusals | null {
    const [, key] = /^\/notify\/([\w-]{1,128})?$/.exec(path) ?? [null, null]
    if (method !== 'POST' || key === null) return 'not_found'
    if (headers.get('authorization') !== authorization) return 'denied'
    if (!headers.get('content-type')?.startsWith('application/json')) return 'bad_request'
    if (typeof json !== 'object' || !Object.keys(json).every((name) => keys.has(name))) return 'bad_request'
    if (typeof json.body !== 'string' || json.body === '' || json.format !== 'text') return 'bad_request'
    if (!['info', 'success', 'warning', 'failure'].includes(json.type)) return 'bad_request'
    if (key === undefined) return typeof json.urls === 'string' ? null : 'nobody'
    return key === 'ops' && (json.tag === undefined || json.tag === 'page') ? null : 'nobody'
  }

  return {
    ...receiver,
    shown,
    refuse: (...refusals) => receiver.next(...refusals.map((refusal) => () => refuse(refusal))),
  }
}
