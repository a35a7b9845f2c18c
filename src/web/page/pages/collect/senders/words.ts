import { formatCount } from '../../../format.ts'
import type { LineToCopy } from '../parts/lines-to-copy.tsx'
import type { Sender } from '../types.ts'

export const sendersAbout =
  'Prometheus, agents and applications that send their samples by themselves, because nines cannot fetch them.'

export const howToSend =
  'Give these lines to a Prometheus or an application, with an API token that may send samples and nothing else.'

export const tokenShownOnce = 'The token is shown this once. It may send samples and nothing else.'

export const protocolNames: Record<Sender['protocol'], string> = { remote_write: 'Remote write', otlp: 'OTLP' }

/** Why the last request of a sender was refused, and how many were: `2 requests, the last: Samples refused`. */
export function refusedWords({ refused_requests, last_refused_reason }: Sender): string {
  const reason = last_refused_reason ?? ''
  return refused_requests === 1 ? reason : `${formatCount(refused_requests)} requests, the last: ${reason}`
}

/** Lines that make others send samples to the nines at this address, with this token. */
export function sendingLines(base: string, token: string): LineToCopy[] {
  const urlOf = (path: string) => new URL(path, base).href
  return [
    {
      from: 'prometheus.yml',
      line: `remote_write:\n  - url: ${urlOf('api/v1/write')}\n    authorization:\n      credentials: ${token}`,
    },
    {
      from: 'OpenTelemetry SDK',
      line: [
        `export OTEL_EXPORTER_OTLP_METRICS_ENDPOINT=${urlOf('v1/metrics')}`,
        'export OTEL_EXPORTER_OTLP_METRICS_PROTOCOL=http/protobuf',
        `export OTEL_EXPORTER_OTLP_METRICS_HEADERS="authorization=Bearer%20${token}"`,
      ].join('\n'),
    },
  ]
}
