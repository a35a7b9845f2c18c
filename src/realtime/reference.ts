import { problem } from '../http/openapi/operation.ts'

const description = `A WebSocket; each text frame holds one JSON object \`{type, data}\`. The token comes in the \`Authorization\` header, else as
\`bearer.<token>\` beside \`nines.v1\` in \`Sec-WebSocket-Protocol\`, else as \`?token=\`.

| from the client | \`data\` |
| --- | --- |
| \`subscribe\` | \`slo_id\`, and \`channels\`: \`status\` (when the status changes), \`metrics\` (whenever it is evaluated), or both, as where there are none |
| \`unsubscribe\` | \`slo_id\` |
| \`ping\` | |

| from nines | \`data\` |
| --- | --- |
| \`subscription_confirmed\` | \`slo_id\`, \`channels\`, \`client_id\` |
| \`unsubscription_confirmed\` | \`slo_id\`, \`message\` |
| \`slo_update\` | \`slo_id\`, \`status\`, \`current_value\`, \`target_value\`, \`error_budget_used\`, \`timestamp\` |
| \`notification\` | \`notification_id\`, \`slo_id\`, \`alert_type\`, \`priority\`, \`subject\`, \`message\`, \`timestamp\`; of nines itself, which is no SLO, none are sent |
| \`pong\` | \`timestamp\`, \`client_id\` |
| \`error\` | \`message\` |

A connection ends with code 4401 once its token is no longer good, 1001 when nines stops, 1008 after more than 2,000 messages
in a minute (one of several kilobytes counts for each), 1009 after a message over 64 KiB; one that leaves 1 MiB unread is cut off.`

/** What the reference says of the socket. */
export const reference = {
  operationId: 'subscribe',
  summary: 'Changes as they happen',
  description,
  parameters: [
    {
      name: 'token',
      in: 'query',
      description: 'for clients that can send it in no header; addresses end up in logs',
      schema: { type: 'string' as const },
    },
  ],
  responses: {
    101: { description: 'The connection is a WebSocket from here on' },
    403: problem('The page that connects is of an origin that is not allowed'),
    426: problem('The request is not a WebSocket handshake'),
    429: problem('Too many requests, or the user has 100 connections'),
    503: problem('nines is stopping, or has as many connections as it can'),
  },
}
