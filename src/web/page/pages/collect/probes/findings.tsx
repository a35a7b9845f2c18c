import { formatCount, formatDuration, formatMoment, plural } from '../../../format.ts'
import { nowMs } from '../../../ui/time.tsx'
import { formatMs } from '../parts/words.ts'
import type { Findings } from '../types.ts'

const words: Record<string, string> = {
  resolve: 'DNS',
  connect: 'connect',
  tls: 'TLS',
  processing: 'first byte',
  transfer: 'transfer',
  request: 'answer',
}
const soonSeconds = 14 * 86_400

/** Result of a probe's run: the duration of its phases, and the facts found. */
export function FoundOut({ of }: { of: Findings }) {
  const phases = of.phases.filter(({ duration_ms }) => duration_ms > 0)
  return (
    <>
      {phases.length > 0 && (
        <dl class="phases">
          {phases.map(({ phase, duration_ms }) => (
            <div key={phase} style={{ flexGrow: duration_ms }}>
              <dt>{words[phase] ?? phase}</dt>
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
    http_status === null ? '' : `HTTP ${http_status}`,
    redirects === null || redirects === 0 ? '' : plural(redirects, '# redirect', '# redirects'),
    body_bytes === null || http_status === null ? '' : `${formatCount(body_bytes)} bytes`,
    tls_version ?? '',
    records === null ? '' : plural(records, '# record', '# records'),
  ].filter(Boolean)
}

function Certificate({ of: { certificate_expires_at } }: { of: Findings }) {
  if (certificate_expires_at === null) return null
  const expiresMs = Date.parse(certificate_expires_at)
  const left = (expiresMs - nowMs.value) / 1000
  const when = formatMoment(expiresMs, nowMs.value)
  if (left <= 0) return <p class="crit-text">The certificate expired on {when}.</p>
  return (
    <p class={left < soonSeconds ? 'warning' : 'muted'}>
      The certificate expires in {formatDuration(left)}, on {when}.
    </p>
  )
}
