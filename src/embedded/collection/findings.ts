import type { SeenCertificate } from '../../certificate.ts'
import type { CollectedSample } from './target.ts'

/**
 * Results of a run of a probe besides its success; null, or no phases: not of this type of probe. If the run did not get that far,
 * `httpStatus`, `tlsVersion` and `certificate` are null, and the others are 0.
 */
export type ProbeFindings = {
  /** Durations in seconds, in the order resolve, connect, tls, processing, transfer, request, setup, rtt. */
  phases: { phase: string; seconds: number }[]
  httpStatus: number | null
  redirects: number | null
  bodyBytes: number | null
  tlsVersion: string | null
  certificate: SeenCertificate | null
  /** Number of records in a DNS answer. */
  records: number | null
}

type Run = { samples: readonly CollectedSample[]; certificate?: SeenCertificate | null }

const order = ['resolve', 'connect', 'tls', 'processing', 'transfer', 'request', 'setup', 'rtt']
const phaseMetrics = new Set([
  'probe_http_duration_seconds',
  'probe_dns_duration_seconds',
  'probe_icmp_duration_seconds',
])

/** Extracts the findings from the samples of a run, which have the names of the blackbox exporter, and adds the certificate. */
export function findingsOf({ samples, certificate = null }: Run): ProbeFindings {
  const labelOf = ({ labels }: CollectedSample, name: string) => labels.find(([label]) => label === name)?.[1]
  const named = (name: string) => samples.find((sample) => labelOf(sample, '__name__') === name)
  const valueOf = (name: string) => named(name)?.value ?? null
  const phases = samples.flatMap((sample) => {
    const phase = labelOf(sample, 'phase')
    const isPhase = phaseMetrics.has(labelOf(sample, '__name__') ?? '')
    return isPhase && phase !== undefined ? [{ phase, seconds: sample.value }] : []
  })
  const tls = named('probe_tls_version_info')
  return {
    phases: phases.toSorted((a, b) => order.indexOf(a.phase) - order.indexOf(b.phase)),
    httpStatus: valueOf('probe_http_status_code') || null,
    redirects: valueOf('probe_http_redirects'),
    bodyBytes: valueOf('probe_http_uncompressed_body_length'),
    tlsVersion: (tls && labelOf(tls, 'version')) ?? null,
    certificate,
    records: valueOf('probe_dns_answer_rrs'),
  }
}
