import { inOneSentence, maxProblems, problemCodes, reportProblem } from '../../errors.ts'
import { objectOf } from './by-hand.ts'
import { problemCodeText } from './problem-codes.ts'
import { errorResponse, type Response } from './operation.ts'
import { version } from '../../../package.json' with { type: 'json' }

const problemFields = {
  field: 'of a body, a path or a query string, as in `auth.basic.username`',
  message: 'what must hold',
  code: {
    type: 'string' as const,
    enum: [...problemCodes],
    description: problemCodeText,
  },
  params: {
    type: 'object' as const,
    additionalProperties: true,
    description: 'numbers and names of the message, by keys that each code has',
  },
  got: {
    type: 'string' as const,
    description:
      'what was sent, in a few words, as in `120`, `"abc"` or `a list of 3`; texts are cut after 40 characters; absent of fields ' +
      'that were not sent, and of secrets',
    maxLength: 600,
  },
  fix: {
    type: 'object' as const,
    additionalProperties: true,
    description: 'fields of the request to change, with the values that solve the problem; absent if nines knows none',
  },
}

/** Body of every error response. */
export const errorBody = {
  ...objectOf(
    {
      success: { type: 'boolean', const: false },
      error: 'what went wrong, in a short stable text',
      details: 'which fields, what must hold of each and what was sent; or what a third party answered',
      problems: {
        type: 'array',
        maxItems: maxProblems,
        description: 'each wrong field, if the error is about fields; `details` has the same in one line',
        items: objectOf(problemFields, ['field', 'message', 'code', 'params']),
      },
      message: 'the same in a sentence, where there is more to say',
      limit: { type: 'integer', description: 'of status 429: how many requests the window takes' },
      window: 'of status 429: the window',
    },
    ['success', 'error'],
  ),
  examples: [{ success: false, error: '…' }],
}

type Common = { name: string; response: Response }

const common = (name: string, ...described: Parameters<typeof errorResponse>): Common => ({
  name,
  response: errorResponse(...described),
})

function withRetry({ name, response }: Common): Common {
  const schema = { type: 'integer' as const, minimum: 1 }
  return { name, response: { ...response, headers: { 'Retry-After': { description: 'seconds to wait', schema } } } }
}

/** Example of a field, or a body, that is too large. */
function tooLarge(field: string, message: string, params: Record<string, number>, got?: string) {
  const problems = [reportProblem({ field, message, code: 'too_large', params, got })]
  return { details: problems.map(inOneSentence).join('; '), problems }
}

/** Responses that many routes have, by status. */
export const commonResponses: Record<number, Common> = {
  304: {
    name: 'NotModified',
    response: {
      description: 'The response is still the one whose `ETag` the request names in `If-None-Match`; no body',
    },
  },
  400: common('Invalid', 'A field is missing or wrong, or a query parameter is not one of the route; all are named', {
    error: 'Invalid request',
    ...tooLarge('target', 'must be a number above 0 and at most 100, in percent', { max: 100 }, '101'),
  }),
  401: common('Unauthenticated', 'No valid token', {
    error: 'Not signed in',
    details: 'must be Authorization: Bearer <access token>',
  }),
  403: common(
    'Forbidden',
    'The role of the token does not suffice (`details` names the one that does), or the address is blocked',
    { error: 'Insufficient permissions', details: 'needs the role member' },
  ),
  404: common('NotFound', 'There is none with this id, or it belongs to another organization', {
    error: 'SLO not found',
  }),
  408: common('TooSlow', 'The body did not arrive whole within 30 seconds, or paused for 10', {
    error: 'Request body too slow',
    details: 'body: must arrive whole within 30 s',
  }),
  409: common('QuotaExceeded', 'The organization has as much of it as it may have; `details` names the setting', {
    error: 'Quota exceeded',
    details: 'An organization may have at most 2,000 SLOs (QUOTA_SLOS)',
  }),
  413: common('TooLarge', 'The body is larger than this instance takes', {
    error: 'Request body too large',
    ...tooLarge('body', 'must be at most 1048576 bytes', { max_bytes: 1_048_576 }),
  }),
  415: common('UnsupportedMediaType', 'The body is not `application/json`', {
    error: 'Unsupported media type',
    details: 'Content-Type: must be application/json',
  }),
  429: withRetry(
    common('RateLimited', 'Too many requests within a minute', {
      error: 'Rate limit exceeded',
      message: 'At most 100 requests a minute for one address; try again in 1 s',
      limit: 100,
      window: '1m',
    }),
  ),
  500: common('Failed', 'Something unforeseen; the log of the instance has the reason', { error: 'Internal error' }),
  503: withRetry(
    common('Busy', 'The disk takes nothing, or too many bytes of request bodies are being received', {
      error: 'disk is full',
      details: 'nothing can be stored until space is freed on the file system of the data folder (DATA_DIR)',
    }),
  ),
}

export const securitySchemes = {
  token: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      'An access token of `POST /api/v1/auth/login`, an API token of `POST /api/v1/auth/tokens` (`nines_…`), or an access token of OAuth.',
  },
}

export const info = {
  title: 'nines',
  version,
  summary: 'Service level objectives and error budgets from any Prometheus-compatible source',
  description: `Send the token as \`Authorization: Bearer <token>\`. What belongs to another organization is answered like what
does not exist. Roles: a \`viewer\` reads, a \`member\` also changes SLOs and what belongs to them, an \`admin\` also administers
the organization.

Times are ISO 8601 in UTC; SLIs, targets and budgets are in percent; what is not known is \`null\`. Unknown fields of a body are
ignored, unknown query parameters refused. \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\` on each
response say how many requests are left.
A GET below \`/api/v1\` whose response has an \`ETag\` answers 304 to a client that sends the tag back in \`If-None-Match\`.`,
}

/** Descriptions of path and query parameters, by name. */
export const parameterDescriptions: Record<string, string> = {
  alert_type: 'only of this cause',
  channel_id: 'only what goes through this channel',
  decision: 'what the recipient says',
  end: 'end of the period; by default now',
  event: 'only events of this kind',
  format: 'a page of JSON, or everything as a file',
  fresh: 'only what is, or is not, fresh',
  from: 'only what happened then or later',
  id: 'the id',
  failed: 'true: only those that the source did not answer',
  what_if: 'true: with the figures from which any other target, and shorter windows, can be computed',
  include: '`notifications`: each with those that were sent of it',
  key: 'the key, percent-encoded',
  label: 'only what has this label, as `key:value`; given more than once, all of them',
  limit: 'how many rows at most',
  outcome: 'only what ended so',
  page: 'the number of the page, from 1; by default 1',
  page_size: 'how many rows to a page',
  period: 'how long the period is',
  search: 'only what has this text in its name or description, in upper or lower case',
  kind: 'only of this kind',
  category: 'only of this category',
  severity: 'only of this severity',
  schedule_id: 'only those of this schedule',
  table: 'the table of a CSV file',
  slo_id: 'only what is about this SLO',
  start: 'where the period begins',
  state: 'only what is in this state',
  active: 'true (the default): without deleted ones; false: only deleted ones; all: both',
  status: 'only what has this status',
  step: 'how much of the period each point stands for',
  incident: 'none: only what belongs to no incident',
  object: 'only what names this in its details: a number, or a part of a name or e-mail address',
  team_id: 'only of this team',
  to: 'only what happened earlier',
  token: 'the token of the link that was mailed',
  user_id: 'only what this user did',
}

/**
 * Units or ranges of numbers, by field name, for every field without its own description. A field whose name has another
 * meaning somewhere has its own description there.
 */
export const units: Record<string, string> = {
  '24h_change': 'current_value now less that of 24 hours ago, in percentage points',
  '7d_change': 'current_value now less that of 7 days ago, in percentage points',
  alerts_total: 'how many alerts would have fired; the newest 100 are listed',
  allowed_bad: 'how many events may fail within the window',
  avg_sli: 'mean SLI of the SLOs, 0 to 1',
  bad: 'how many events failed',
  bad_events: 'how many events failed, or for how many seconds, by the `unit` of the answer',
  budget_percent: 'percent of the error budget',
  budget_thresholds: 'alerts fire when so much of the error budget remains, in percent of it, or less',
  burn_rate: 'how many times faster than the target allows the budget is used; at 1 it lasts its window',
  changed_by: 'the id of the user; null: not known, or removed',
  checked_by: 'the id of the user who asked',
  chunks: 'the number of parts of the past that are asked for; known once it runs',
  chunks_done: 'the number of those that are done',
  compression_threshold: 'bytes from which on a result is stored compressed',
  consecutive_failures: 'how many deliveries in a row have failed',
  count: 'how many there are on this page',
  coverage: 'share of the window with data, 0 to 1',
  created_by: 'the id of the user; null: removed since',
  current_value: 'SLI over the window of the answer, in percent; null: not known',
  delivered_notifications: 'how many the receiver has taken',
  error_budget_percent: 'what remains of the error budget, in percent of it; below 0 where it is overspent',
  error_budget_used:
    'what is used of the error budget of the own window, in percent of it; above 100 where it is overspent',
  factor: 'the burn rate above which the tier fires: how many times faster than the target allows',
  failed_notifications: 'how many failed for good',
  firing_reason:
    'too_few_samples: a window is shorter than two intervals of the samples, so that `firing` is null; otherwise null',
  first_line: 'the number of the first line of the part in its file, for errors; by default 1',
  good: 'how many events were good, or for how many seconds an SLO of time was',
  good_events: 'how many events of the window were good',
  down_after: 'how many failed runs in a row mean that the target is down, without confirm',
  interval_seconds: 'seconds between the beginnings of two runs',
  invited_by: 'the id of the user; null: removed since',
  long: 'burn rate over the long window, in times what the target allows; null: not known',
  long_bad_events: 'how many events failed in the long window; null where time is measured',
  long_burn_rate:
    'burn rate over the long window, in times what the target allows; time before the first sample burns nothing; null: ' +
    'not known, or infinite',
  long_coverage: 'share of the long window with data, 0 to 1',
  max_entries: 'how many entries the cache holds, of all organizations',
  max_retries: 'how many times a delivery is tried again',
  min_events: 'how many events have to have failed in the long window before the tier fires',
  notified: 'how many notifications of it were not throttled',
  own_coverage: 'share of the own window of the SLO with data, 0 to 1',
  own_value: 'SLI over the own window of the SLO, in percent; null: not known',
  page: 'the number of this page, from 1',
  page_size: 'how many rows a page has at most',
  peak_burn_rate: 'the highest burn rate over the long window, in times what the target allows',
  pending_notifications: 'how many wait to be sent, for a retry too',
  percentage_remaining: 'what remains of the error budget, in percent of it; below 0 where it is overspent',
  percentage_used: 'what is used of the error budget, in percent of it; above 100 where it is overspent',
  progress: 'share of the chunks that are done, 0 to 1',
  redirects: 'how many redirects were followed',
  remaining: 'what remains of the error budget, in percentage points of the SLI; below 0 where it is overspent',
  remaining_bad: 'how many more events may fail; below 0 where the budget is overspent',
  result_samples: 'the number of samples in the answer of the source',
  revision: 'the number of the way it is measured, from 1; a change of its query begins the next',
  samples: 'the number of samples',
  sending_notifications: 'how many are being sent',
  sent_notifications: 'how many a relay has taken that does not say whether they arrived',
  series: 'the number of series',
  short: 'burn rate over the short window, in times what the target allows; null: not known',
  short_burn_rate:
    'burn rate over the short window, in times what the target allows; time before the first sample burns nothing, and ' +
    'the tier does not fire until the window exists whole; null: not known, or infinite',
  short_coverage: 'share of the short window with data, 0 to 1',
  sli: 'percent, 0 to 100; null: not known',
  slices: 'the number of minutes, hours and days that were stored',
  status_code: 'HTTP status of the receiver; null: it did not answer, or does not speak HTTP',
  target: 'percent, above 0 and at most 100',
  target_value: 'the target of the SLO, in percent',
  threshold: 'bound of metric_query, in the unit of its values: seconds, bytes or whatever it measures',
  throttled_notifications: 'how many came sooner than min_interval_seconds of their rule',
  total: 'how many there are in all',
  total_events: 'how many events there were in all',
  total_notifications: 'how many there are',
  used: 'what is used of the error budget, in percentage points of the SLI',
}

const tagTexts = {
  Accounts: 'Registering, signing in and out, passwords.',
  'API tokens': 'Tokens for machines, with a role of their own; made and revoked by who has signed in.',
  Organization: 'The organization, its users and its teams: read by everybody in it, changed by administrators.',
  Invitations: 'Into the organization; for administrators, also to read.',
  'Audit log': 'What happened to accounts and access; for administrators.',
  SLOs: 'Objectives, how they stand and have stood; changed by members.',
  Alerting: 'When an SLO alerts: burn-rate tiers and budget thresholds; changed by members.',
  Incidents: 'Outages and burning budgets, one for each SLO until it is over; acknowledged and closed by members.',
  Annotations:
    'Deploys, changes and notes on the charts of SLOs, and what a deploy cost; made by members and by pipelines.',
  Reports: 'Results of the SLOs in a week, month or quarter; frozen when made, by members or on a schedule.',
  Corrections: 'Times that count neither good nor bad: maintenance, bad data; made by members, and undone exactly.',
  Backfills: 'How far the past of an SLO has been queried from its source.',
  Measurements: 'Queries to the metrics sources; for every role.',
  Sources:
    'Prometheus-compatible servers; changed by administrators. Credentials are write-only. Below `/prometheus` each answers every role as a Prometheus does: the URL of a data source of Grafana, where a token may be the password of HTTP Basic.',
  'Source queries': 'Queries that are run periodically, and what came of them; changed by members.',
  'Embedded source':
    'The HTTP API of Prometheus over the samples that nines keeps itself, also at `/embedded/prometheus`: the URL of a Prometheus data source of Grafana. A token may be the password of HTTP Basic here.',
  'Targets and probes':
    'What the embedded source scrapes and probes by itself; changed by administrators. Credentials and values of headers are write-only.',
  Heartbeats:
    'Jobs that report to a secret address of theirs, `/ping/<uuid>`, as with Healthchecks; changed by administrators.',
  Channels: 'Where notifications go; changed by administrators. Secrets are write-only.',
  Notifications: 'Which alerts notify which channel, and what came of that; changed by members.',
  Cache: 'Results that are kept; changed by members, its limits by administrators of the first organization.',
  Live: 'Changes as they happen, over a WebSocket.',
  OAuth: 'nines as an authorization server: code flow with PKCE (RFC 6749, 7636, 7009, 7662, 8414).',
  Operations: 'Health, metrics and this document; without a token.',
}

/** Tags in the order of the API reference. */
export const tags = Object.entries(tagTexts).map(([name, description]) => ({ name, description }))

/** Description for operations that store a query. */
export const forceDescription =
  'A new query that is no PromQL is refused (400, with the character), unless its source, which may read more, answers it, ' +
  'or `force` is true.'
