import { type Received, type Receiver, startReceiver } from '../receiver.ts'
import { refuse, type Refusal } from './refusal.ts'

const failure = (status: number, ...errors: string[]) => ({ status, body: { errors, status: 0, request: '647d2300' } })

/** Answers of the Message API. Source: pushover.net/api, "Response format" and "Being friendly to our API". */
export const pushoverRefusals = {
  bad_token: { ...failure(400, 'application token is invalid'), outcome: 'failed' },
  bad_user: {
    ...failure(400, 'user identifier is not a valid user, group, or subscribed user key'),
    outcome: 'failed',
  },
  blank: { ...failure(400, 'message cannot be blank'), outcome: 'failed' },
  too_long: { ...failure(400, 'message is too long'), outcome: 'failed' },
  bad_priority: { ...failure(400, 'priority is invalid'), outcome: 'failed' },
  no_retry: { ...failure(400, 'retry must be at least 30 seconds'), outcome: 'failed' },
  unknown_field: { ...failure(400, 'a parameter is unknown'), outcome: 'failed' },
  not_found: { status: 404, body: '', outcome: 'failed' },
  over_quota: { ...failure(429, 'application is over its quota'), outcome: 'retry', retryAfterMs: 5000 },
  server_error: { ...failure(500, 'internal server error'), outcome: 'retry', retryAfterMs: 5000 },
  unavailable: { status: 503, body: '<html></html>', outcome: 'retry', retryAfterMs: 5000 },
  not_taken: {
    ...failure(200, 'no'),
    outcome: 'failed',
    error: 'the receiver answered 200, but not as Pushover does',
  },
} as const satisfies Record<string, Refusal>

type Shown = { title: string; message: string; priority: number; url: string | undefined; device: string | undefined }

export type Pushover = Receiver & {
  token: string
  user: string
  shown: Shown[]
  /** Tags of emergency messages that are still repeated. */
  repeated: Set<string>
  refuse(...refusals: Refusal[]): void
}

const known = new Set(
  'token user message title priority timestamp device sound url url_title retry expire tags'.split(' '),
)

/** Accepts valid Pushover forms. Stricter than Pushover: parameters that it would ignore are refused. */
export function startPushover(): Pushover {
  const token = 'azGDORePK8gMaC0QOYAMyEEuzJnyUi'
  const user = 'uQiRzpo4DXghDmr9QzzfQu27cmVRsG'
  const shown: Shown[] = []
  const repeated = new Set<string>()
  const receiver = startReceiver((request) => {
    const form = new URLSearchParams(request.text)
    const refusal = refusalOf(request, form)
    if (refusal) return refuse(pushoverRefusals[refusal])
    const tag = /^\/1\/receipts\/cancel_by_tag\/([\w=-]+)\.json$/.exec(request.path)?.[1]
    if (tag !== undefined) {
      const canceled = repeated.delete(tag) ? 1 : 0
      return Response.json({ status: 1, canceled, request: '647d2300' })
    }
    const priority = Number(form.get('priority'))
    if (priority === 2) repeated.add(form.get('tags') ?? '')
    const text = (key: string) => form.get(key) ?? undefined
    shown.push({
      title: text('title') ?? '',
      message: text('message') ?? '',
      priority,
      url: text('url'),
      device: text('device'),
    })
    return Response.json({ status: 1, request: '647d2300', ...(priority === 2 && { receipt: 'r'.repeat(30) }) })
  })

  function refusalOf({ method, path, headers }: Received, form: URLSearchParams): keyof typeof pushoverRefusals | null {
    const isCancel = path.startsWith('/1/receipts/cancel_by_tag/')
    if (method !== 'POST' || (!isCancel && path !== '/1/messages.json')) return 'not_found'
    if (headers.get('content-type') !== 'application/x-www-form-urlencoded') return 'bad_token'
    if (form.get('token') !== token) return 'bad_token'
    if (isCancel) return null
    if (form.get('user') !== user) return 'bad_user'
    if (![...form.keys()].every((key) => known.has(key))) return 'unknown_field'
    if (!form.get('message')) return 'blank'
    const longest = { message: 1024, title: 250, url: 512, url_title: 100 }
    if (Object.entries(longest).some(([key, max]) => [...(form.get(key) ?? '')].length > max)) return 'too_long'
    if (!/^(?:-[12]|[012])$/.test(form.get('priority') ?? '') || !/^\d+$/.test(form.get('timestamp') ?? '')) {
      return 'bad_priority'
    }
    if (form.get('priority') !== '2') return form.has('retry') || form.has('tags') ? 'bad_priority' : null
    return Number(form.get('retry')) >= 30 && Number(form.get('expire')) <= 10_800 ? null : 'no_retry'
  }

  return {
    ...receiver,
    token,
    user,
    shown,
    repeated,
    refuse: (...refusals) => receiver.next(...refusals.map((refusal) => () => refuse(refusal))),
  }
}
