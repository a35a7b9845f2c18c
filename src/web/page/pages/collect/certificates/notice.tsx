import { useRead } from '../../../api/use-read.ts'
import { nowMs } from '../../../ui/time.tsx'
import { listEveryMs } from '../parts/list.tsx'
import type { Certificate } from '../types.ts'
import { toneOf, users, validity } from './words.ts'

/** Certificates of checks, sources and channels that have expired or expire soon; nothing if there are none. */
export function CertificateNotice() {
  const read = useRead<{ certificates: Certificate[] }>('/certificates', { everyMs: listEveryMs })
  const due = (read.value.value?.certificates ?? []).filter((one) => toneOf(one, nowMs.value) !== 'muted')
  if (due.length === 0) return null
  return (
    <section class="card section" aria-label="Certificates to renew">
      {due.map((one) => (
        <p key={one.fingerprint}>
          <strong class={toneOf(one, nowMs.value)}>{validity(one, nowMs.value)}</strong> {users(one)}
        </p>
      ))}
    </section>
  )
}
