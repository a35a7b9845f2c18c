import { plural } from '../../../format.ts'
import { nowMs } from '../../../ui/time.tsx'
import { identity, toneOf, validity } from '../certificates/words.ts'
import { formatMs } from '../parts/words.ts'
import type { Findings } from '../types.ts'
import { bodyWords, httpStatusWords } from './words.ts'

const phaseWords: Record<string, string> = {
  resolve: 'DNS',
  connect: 'connect',
  tls: 'TLS',
  processing: 'first byte',
  transfer: 'transfer',
  request: 'answer',
  rtt: 'round trip',
}

/** Result of a probe's run: the duration of its phases, and the facts found. */
export function FoundOut({ of }: { of: Findings }) {
  const phases = of.phases.filter(({ phase, duration_ms }) => duration_ms > 0 && phase !== 'setup') // setup: time of nines itself
  return (
    <>
      {phases.length > 0 && (
        <dl class="phases">
          {phases.map(({ phase, duration_ms }) => (
            <div key={phase} style={{ flexGrow: duration_ms }}>
              <dt>{phaseWords[phase] ?? phase}</dt>
              <dd>{formatMs(duration_ms)}</dd>
            </div>
          ))}
        </dl>
      )}
      <p class="muted">{factsOf(of).join(' · ')}</p>
      <Certificate of={of} />
    </>
  )
}

function factsOf({ http_status, redirects, body_bytes, tls_version, records }: Findings): string[] {
  return [
    http_status === null ? '' : httpStatusWords(http_status),
    redirects === null || redirects === 0 ? '' : plural(redirects, '# redirect', '# redirects'),
    body_bytes === null || http_status === null ? '' : bodyWords(body_bytes),
    tls_version ?? '',
    records === null ? '' : plural(records, '# record', '# records'),
  ].filter(Boolean)
}

function Certificate({ of: { certificate } }: { of: Findings }) {
  if (certificate === null) return null
  return (
    <>
      <p class={toneOf(certificate, nowMs.value)}>{validity(certificate, nowMs.value)}</p>
      <p class="muted">{identity(certificate)}</p>
    </>
  )
}
