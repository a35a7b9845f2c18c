import { type Static, t } from 'elysia'
import { certificateFields, presentCertificate } from '../certificates/model.ts'
import { isoTime, isoTimeOrNull } from '../../clock.ts'
import type { ProbeRow, ScrapeTargetRow } from '../../db/tables/tables.ts'
import { Anything, Name, OneOf, Trimmed, WholeNumber } from '../../http/schemas.ts'
import { maxIntervalSeconds, maxLabels, maxLabelValue, maxTimeoutSeconds, parseSeriesLabels } from './fields.ts'
import { valueText } from '../api/result.ts'
import { type ProbeFindings, findingsOf } from './findings.ts'
import type { Health, Item } from './item.ts'
import type { Scraped } from './series/target-series.ts'

/** Schema of the labels that `readSeriesLabels` accepts, for the API reference. */
export const SeriesLabels = t.Record(
  t.String({ pattern: '^[a-zA-Z][a-zA-Z0-9_]{0,99}$' }),
  t.String({ minLength: 1, maxLength: maxLabelValue }),
  { additionalProperties: false, maxProperties: maxLabels, description: `at most ${maxLabels} names and texts` },
)

/** Request fields shared by targets and probes. */
export const collectedFields = {
  name: Name({ max: 200 }),
  interval_seconds: t.Optional(WholeNumber({ min: 5, max: maxIntervalSeconds })),
  timeout_seconds: t.Optional(
    t.Number({
      minimum: 0.1,
      maximum: maxTimeoutSeconds,
      description: `a number from 0.1 to ${maxTimeoutSeconds}, at most interval_seconds`,
    }),
  ),
  labels: t.Optional(Anything(SeriesLabels)), // validated by readSeriesLabels, because Elysia alters records
  is_active: t.Optional(t.Boolean({ description: 'true or false' })),
}

/** True for an http(s) URL of at most 2000 characters, without credentials and fragment. */
export function isHttpUrl(text: string): boolean {
  if (text.length > 2000 || !/^https?:\/\/[^\s\p{Cc}#]+$/iu.test(text) || !URL.canParse(text)) return false
  const { username, password } = new URL(text)
  return username === '' && password === ''
}

/** An http(s) URL, or `nines:…` for metrics that this process exposes. */
export const ScrapeUrl = Trimmed(
  'scrape-url',
  'an http(s) URL without credentials and fragment, or nines:metrics',
  (value) => isHttpUrl(value.trim()) || /^nines:[a-z]{1,20}$/.test(value.trim()),
)

/** Findings of a probe; null for a target, and before the first run. */
const PresentedFindings = t.Object(
  {
    phases: t.Array(t.Object({ phase: t.String(), duration_ms: t.Number() })),
    http_status: t.Nullable(t.Number({ description: 'HTTP status of the last answer; null: no HTTP' })),
    redirects: t.Nullable(t.Number()),
    body_bytes: t.Nullable(t.Number()),
    tls_version: t.Nullable(t.String()),
    certificate_expires_at: t.Nullable(
      t.String({ description: 'expiry of the certificate in the chain that expires first; as in `certificate`' }),
    ),
    certificate: t.Nullable(t.Object(certificateFields, { title: 'SeenCertificate' }), {
      description: 'certificate of the server of the last connection; null: none was seen',
    }),
    records: t.Nullable(t.Number({ description: 'how many records a DNS answer has' })),
  },
  { title: 'ProbeFindings' },
)

function presentFindings(findings: ProbeFindings): Static<typeof PresentedFindings> {
  return {
    phases: findings.phases.map(({ phase, seconds }) => ({ phase, duration_ms: roundToMicroseconds(seconds * 1000) })),
    http_status: findings.httpStatus,
    redirects: findings.redirects,
    body_bytes: findings.bodyBytes,
    tls_version: findings.tlsVersion,
    certificate_expires_at: isoTimeOrNull(findings.certificate && findings.certificate.expiresAt * 1000),
    certificate: findings.certificate && presentCertificate(findings.certificate, findings.certificate.seenAt),
    records: findings.records,
  }
}

/** Response fields shared by targets and probes. */
export const presentedFields = {
  id: t.Number(),
  organization_id: t.Number(),
  name: t.String(),
  interval_seconds: t.Number(),
  timeout_seconds: t.Number(),
  labels: t.Record(t.String(), t.String()),
  is_active: t.Boolean(),
  health: t.Object(
    {
      status: OneOf(['up', 'down', 'unknown']),
      last_at: t.Nullable(t.String()),
      last_duration_ms: t.Nullable(t.Number()),
      last_error: t.Nullable(t.String()),
      samples: t.Number(),
      next_at: t.Nullable(t.String({ description: 'when it runs next; null: it is paused' })),
      recent: t.Array(
        t.Object({
          at: t.String(),
          ok: t.Boolean(),
          duration_ms: t.Number(),
          error: t.Nullable(t.String({ description: 'why it failed; null: it did not' })),
        }),
        {
          description:
            'the last 20 runs, oldest first. Runs before the start of nines have no `error`, and those that only confirmed a failure are missing',
        },
      ),
      findings: t.Nullable(PresentedFindings),
      down_since: t.Nullable(
        t.String({ description: 'of a probe whose target is down: when the first run failed; null: it is not down' }),
      ),
    },
    { title: 'CollectionHealth' },
  ),
  created_at: t.String(),
  updated_at: t.String(),
}

function presentHealth({ status, lastAtMs, lastDurationMs, lastError, samples, ...health }: Health) {
  return {
    status,
    last_at: isoTimeOrNull(lastAtMs),
    last_duration_ms: lastDurationMs === null ? null : roundToMicroseconds(lastDurationMs),
    last_error: lastError,
    samples,
    next_at: isoTimeOrNull(health.nextAtMs),
    recent: health.recent.map(({ atMs, ok, durationMs, error }) => ({
      at: isoTime(atMs),
      ok,
      duration_ms: roundToMicroseconds(durationMs),
      error,
    })),
    findings: health.findings && presentFindings(health.findings),
    down_since: isoTimeOrNull(health.downSinceMs),
  }
}

/** Values of the `presentedFields`. */
export function presentCollected(row: ScrapeTargetRow | ProbeRow, health: Health) {
  return {
    id: row.id,
    organization_id: row.organization_id,
    name: row.name,
    interval_seconds: row.interval_seconds,
    timeout_seconds: row.timeout_seconds,
    labels: parseSeriesLabels(row),
    is_active: row.is_active === 1,
    health: presentHealth(health),
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
  }
}

/** Rounds milliseconds to three decimals. */
function roundToMicroseconds(ms: number): number {
  return Math.round(ms * 1000) / 1000
}

/** Result of a trial: one run of a target or probe, which is not stored. */
export const Trial = t.Object(
  {
    ok: t.Boolean(),
    error: t.Nullable(t.String()),
    duration_ms: t.Number(),
    sample_count: t.Number(),
    samples: t.Array(t.Object({ name: t.String(), labels: t.Record(t.String(), t.String()), value: t.String() }), {
      description: 'the first 100',
    }),
    family_count: t.Number(),
    families: t.Array(t.Object({ name: t.String(), type: t.String(), help: t.String(), samples: t.Number() }), {
      description: 'the first 200 metric names, with their type and help as the target exposes them',
    }),
    findings: t.Nullable(PresentedFindings),
  },
  { title: 'CollectionTrial' },
)
export type Trial = Static<typeof Trial>

/** Maximum entries and characters in the response. */
const maxSamples = 100
const maxFamilies = 200
const maxHelpCharacters = 200

/** Response to a trial. `kind`: kind of the item that was run. */
export function presentTrial(kind: Item['kind'], scraped: Scraped): Trial {
  const { ok, error, durationMs, samples, metadata } = scraped
  const counts = new Map<string, number>()
  for (const { labels } of samples) {
    const name = labels.find(([label]) => label === '__name__')?.[1] ?? ''
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  const familyOf = (name: string) => metadata?.get(name) ?? metadata?.get(name.replace(familySuffix, ''))
  return {
    ok,
    error,
    duration_ms: roundToMicroseconds(durationMs),
    sample_count: samples.length,
    samples: samples.slice(0, maxSamples).map(({ labels, value }) => {
      const { __name__: name = '', ...others } = Object.fromEntries(labels)
      return { name, labels: others, value: valueText(value) }
    }),
    family_count: counts.size,
    families: [...counts].slice(0, maxFamilies).map(([name, samples]) => {
      const { type = 'unknown', help = '' } = familyOf(name) ?? {}
      return { name, type, help: help.slice(0, maxHelpCharacters), samples }
    }),
    findings: kind === 'probe' ? presentFindings(findingsOf(scraped)) : null,
  }
}

/** Suffixes of sample names after the name of their family, for histograms, summaries, counters and infos. */
const familySuffix = /_(?:bucket|count|sum|total|created|info)$/
