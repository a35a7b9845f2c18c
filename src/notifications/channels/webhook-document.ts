import { statuses } from '../../slos/arithmetic/budget.ts'
import { sloStates } from '../../slos/arithmetic/state.ts'
import { objectOf, type Schema } from '../../http/openapi/by-hand.ts'

const time = (description: string): Schema => ({ type: 'string', format: 'date-time', description })
const number = (description: string): Schema => ({ type: 'number', description })
const integer = (description: string): Schema => ({ type: 'integer', description })
const flag = (description: string): Schema => ({ type: 'boolean', description })
const oneOf = (description: string, ...values: readonly string[]): Schema => ({
  type: 'string',
  enum: [...values],
  description,
})
const listOf = (description: string, items: Schema): Schema => ({ type: 'array', items, description })

/** The schema, or null with the meaning that `description` has. */
function orNull({ description: own = '', ...schema }: Schema & { description?: string }, description: string): Schema {
  return { description: own === '' ? description : `${own}; ${description}`, anyOf: [schema, { enum: [null] }] }
}

const incidentSeverity = oneOf('the highest so far', 'warning', 'critical')
const incidentFields = {
  id: integer('id of the incident'),
  event: oneOf('what is new', 'opened', 'rose', 'again', 'flapping', 'recovered'),
  severity: incidentSeverity,
  began_at: time('with its first failure'),
  recovered_at: orNull(time('when it recovered'), 'null while it fails'),
}

const slo = objectOf({
  id: integer('id of the SLO'),
  name: 'name of the SLO',
  description: 'description of the SLO',
  labels: { type: 'object', additionalProperties: { type: 'string' }, description: 'labels of the SLO' },
  target: number('percent'),
  time_window: 'window of the SLO, as `30d`',
  status: oneOf('current window compared with the target', ...statuses),
  current_value: orNull(number('percent over the current window'), 'null: not known'),
  measured_at: orNull(time('end of the measured windows'), 'null: not measured yet'),
})

const budget = objectOf({
  used: orNull(number('percent; above 100 where it is overspent'), 'null: not known'),
  remaining: orNull(number('percent; below 0 where it is overspent'), 'null: not known'),
  estimated: flag('true while the window has too little traffic to know'),
})

const alert = objectOf({
  name: '`down`, `status`, `budget:25`, `burn_rate:3600:300` or `condition:disk_full`; the same when it recurs',
  severity: oneOf('a tier has `page` or `ticket`', 'warning', 'critical', 'page', 'ticket'),
  began_at: time('when it began'),
  ended_at: orNull(time('when it ended'), 'null while it fires'),
  acknowledged: orNull(
    objectOf({ by: 'name of the person', at: time('when'), note: 'may be empty' }),
    'null: nobody has',
  ),
  threshold: orNull(number('percent of the budget that remains'), 'null: not a `budget:…`'),
  outage: orNull(
    objectOf(
      {
        reason: orNull({ type: 'string', description: 'why the last check failed' }, 'null: not known'),
        is_up: flag('true: checks succeed again'),
        stopped: 'why nothing checks any more; absent otherwise',
      },
      ['reason', 'is_up'],
    ),
    'null: not `down`',
  ),
  burn_rate: orNull(
    objectOf({
      factor: number('threshold, in times what the target allows'),
      long_window: 'as `1h`',
      short_window: 'as `5m`',
      long: orNull(number('burn rate of the long window, in times what the target allows'), 'null: not known'),
      short: orNull(number('burn rate of the short window, in times what the target allows'), 'null: not known'),
    }),
    'null: not a `burn_rate:…`',
  ),
})

const forecast = objectOf({
  exhausted_in_seconds: number('until the budget is used up'),
  burn_rate: number('in times what the target allows'),
  basis: 'which burn rate that is',
  basis_seconds: integer('window of that burn rate'),
})

const certificate = objectOf({
  names: listOf('hosts that it is for', { type: 'string' }),
  issuer: 'its authority',
  server: '`host:port`',
  fingerprint: 'SHA-256 of the certificate',
  expires_at: time('end of its validity'),
  used_by: listOf(
    'what connects to its server',
    objectOf({ kind: oneOf('kind', 'probe', 'source', 'channel'), id: integer('id of it'), name: 'name of it' }),
  ),
  end: orNull(
    objectOf({
      is_renewed: flag('true: the server has another certificate'),
      valid_until: orNull(time('end of the validity of that one'), 'null: there is none'),
    }),
    'null while it is used',
  ),
})

const condition = objectOf(
  {
    name: 'as `disk_full`, or `certificate`',
    message: orNull({ type: 'string', description: 'what is wrong' }, 'null once it has ended'),
    advice: orNull({ type: 'string', description: 'what to do' }, 'null once it has ended'),
    certificate: { ...certificate, description: 'of `certificate` only' },
  },
  ['name', 'message', 'advice'],
)

const incident = objectOf({
  ...incidentFields,
  relapses: integer('how many times it failed again'),
  state: orNull(oneOf('state of the SLO', ...sloStates), 'null: it was not evaluated'),
  cause: orNull(
    objectOf({
      label: 'label with the most failures beyond its share of the traffic',
      value: 'value of the label',
      failures_percent: number('percent of the failures'),
      traffic_percent: orNull(number('percent of the traffic'), 'null: says nothing about the failures'),
      text: 'the same in a sentence',
    }),
    'null: not known',
  ),
  cost: orNull(
    objectOf({
      percent: number('percent of the budget of the whole window'),
      bad_seconds: orNull(number('seconds that failed'), 'null: events are counted'),
      allowed_seconds: orNull(number('seconds that may fail'), 'null: events are counted'),
    }),
    'null while it fails, or not known',
  ),
})

const payload = objectOf(
  {
    version: { type: 'string', const: '1', description: 'fields may be added; none is renamed or removed' },
    event: oneOf('`recovery`: an alert has ended; `message`: there is no alert', 'alert', 'recovery', 'message'),
    id: orNull(
      integer('id of the notification in the history'),
      'null: a test, or a condition sent while the database cannot be written',
    ),
    idempotency_key: 'the same at every attempt',
    dedup_key: 'the same when an alert recurs, and for all messages of one incident',
    thread: 'the same for all messages of one incident, else for one alert and its recovery only',
    alert_type: 'as in a rule, or `report`, or `test` (whose `event` is `alert` or `recovery`)',
    priority: oneOf('of the rule', 'low', 'medium', 'high', 'critical'),
    subject: 'one line',
    message: 'may have many lines',
    created_at: time('when it was queued'),
    slo: orNull(slo, 'null: a test, a list, or a condition of nines'),
    budget: orNull(budget, 'error budget of the whole window (`window_percent_used`); null: no SLO'),
    alert: orNull(alert, 'null: a message without an alert, such as a test'),
    forecast: orNull(forecast, 'while an SLO is down or burns too fast and budget remains; otherwise null'),
    condition: orNull(condition, 'what is wrong with nines itself, or with a certificate; otherwise null'),
    incident: orNull(incident, 'null: none'),
    incidents: orNull(
      listOf(
        'of a list: its incidents',
        objectOf({
          ...incidentFields,
          thread: 'that of its own messages',
          slo_id: integer('id of the SLO'),
          slo_name: 'name of the SLO',
          is_down: flag('true: an outage'),
        }),
      ),
      'otherwise null',
    ),
    report: {
      ...objectOf({
        id: integer('id of the report'),
        name: 'name of the report',
        title: 'the period in words',
        starts_at: time('begin of the period'),
        ends_at: time('end of the period'),
        link: 'its page',
      }),
      description: 'only of the announcement of a report',
    },
    links: objectOf({
      slo: orNull({ type: 'string', description: 'page of the SLO' }, 'null: none'),
      incident: orNull({ type: 'string', description: 'page of the incident; of a list that of all' }, 'null: none'),
    }),
  },
  [
    'version',
    'event',
    'id',
    'idempotency_key',
    'dedup_key',
    'thread',
    'alert_type',
    'priority',
    'subject',
    'message',
    'created_at',
    'slo',
    'budget',
    'alert',
    'forecast',
    'condition',
    'incident',
    'incidents',
    'links',
  ],
)

const example = {
  version: '1',
  event: 'alert',
  id: 41,
  idempotency_key: '0195f3a2-0000-7000-8000-000000000041',
  dedup_key: 'incident-81',
  thread: 'incident-81',
  alert_type: 'burn_rate_too_fast',
  priority: 'critical',
  subject: 'Checkout answers: burning 171× since 04:46 UTC, budget gone in 11 min',
  message: 'route=/checkout has 100 % of the failures with 32 % of the traffic\n…',
  created_at: '2026-11-21T04:48:00.000Z',
  slo: {
    id: 7,
    name: 'Checkout answers',
    description: 'Orders that were taken',
    labels: { team: 'shop' },
    target: 99.9,
    time_window: '30d',
    status: 'critical',
    current_value: 98.87,
    measured_at: '2026-11-21T04:48:00.000Z',
  },
  budget: { used: 95.7, remaining: 4.3, estimated: false },
  alert: {
    name: 'burn_rate:3600:300',
    severity: 'page',
    began_at: '2026-11-21T04:46:00.000Z',
    ended_at: null,
    acknowledged: null,
    outage: null,
    threshold: null,
    burn_rate: { factor: 14.4, long_window: '1h', short_window: '5m', long: 15.2, short: 171 },
  },
  forecast: { exhausted_in_seconds: 660, burn_rate: 171, basis: 'the burn rate of the last 5m', basis_seconds: 300 },
  condition: null,
  incident: {
    id: 81,
    event: 'opened',
    severity: 'critical',
    began_at: '2026-11-21T04:46:00.000Z',
    recovered_at: null,
    relapses: 0,
    state: 'burning_fast',
    cause: {
      label: 'route',
      value: '/checkout',
      failures_percent: 100,
      traffic_percent: 32,
      text: 'route=/checkout has 100 % of the failures with 32 % of the traffic',
    },
    cost: null,
  },
  incidents: null,
  links: { slo: 'https://nines.example.com/slos/7', incident: 'https://nines.example.com/incidents/81' },
}

const inHeader = (name: string, description: string, isAlways = true) => ({
  name,
  in: 'header',
  required: isAlways,
  description,
  schema: { type: 'string' },
})

/** Requests that nines makes to the receiver of a channel of the type `webhook`, for the OpenAPI document. */
export const webhookRequests = {
  notification: {
    post: {
      operationId: 'notification',
      tags: ['Channels'],
      security: [],
      summary: 'A notification, to the URL of a webhook channel',
      description:
        'The body of `format: nines`. With `format: alertmanager` it is the payload of Alertmanager’s webhook: an incident is one alert from ' +
        'its opening to its end, whose `alert_key` and `fingerprint` stay; a list has one alert for each incident. nines adds `thread` and ' +
        '`incident` at the top, and `runbook_url`, `incident_id` and `incident_event` to the annotations.\n\n' +
        'To verify `X-Nines-Signature: t=SECONDS,v1=HEX`: refuse a `t` more than five minutes away, compute the HMAC-SHA256 of ' +
        '`SECONDS.BODY` with the `secret` of the channel over the bytes of the body as received, and compare it with `v1` in constant time.',
      parameters: [
        inHeader('Idempotency-Key', 'the same at every attempt'),
        inHeader('X-Nines-Event', '`alert`, `recovery` or `message`'),
        inHeader('X-Nines-Signature', 'if the channel has a `secret`', false),
      ],
      requestBody: { required: true, content: { 'application/json': { schema: payload, example } } },
      responses: {
        '2XX': { description: 'Acknowledged' },
        '4XX': { description: 'Refused, and not sent again; 408, 425 and 429 are, as timeouts and 5xx are' },
      },
    },
  },
}
