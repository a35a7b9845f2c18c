import { type Static, t } from 'elysia'
import { isoTimeOrNull } from '../../clock.ts'
import { Anything, Name, OneOf, Trimmed, WholeNumber } from '../../http/schemas.ts'
import { maxIntervalSeconds, maxLabels, maxLabelValue, maxTimeoutSeconds } from './fields.ts'
import { valueText } from '../api/result.ts'
import type { Health, Outcome } from './item.ts'

/** What `readSeriesLabels` takes, for the reference. */
const SeriesLabels = t.Record(
  t.String({ pattern: '^[a-zA-Z][a-zA-Z0-9_]{0,99}$' }),
  t.String({ minLength: 1, maxLength: maxLabelValue }),
  { additionalProperties: false, maxProperties: maxLabels, description: `at most ${maxLabels} names and texts` },
)

/** What is sent of targets and probes alike. */
export const collectedFields = {
  name: Name({ most: 200 }),
  interval_seconds: t.Optional(WholeNumber({ least: 5, most: maxIntervalSeconds })),
  timeout_seconds: t.Optional(
    t.Number({
      minimum: 0.1,
      maximum: maxTimeoutSeconds,
      description: `a number from 0.1 to ${maxTimeoutSeconds}, at most interval_seconds`,
    }),
  ),
  labels: t.Optional(Anything(SeriesLabels)), // read by readSeriesLabels: what Elysia makes of a record is not what was sent
  is_active: t.Optional(t.Boolean({ description: 'true or false' })),
}

/** Whether a text is an http(s) URL without credentials and fragment. */
export function isHttpUrl(text: string): boolean {
  if (text.length > 2000 || !/^https?:\/\/[^\s\p{Cc}#]+$/iu.test(text) || !URL.canParse(text)) return false
  const { username, password } = new URL(text)
  return username === '' && password === ''
}

/** Or `nines:…`, for what is exposed inside of the process. */
export const ScrapeUrl = Trimmed(
  'scrape-url',
  'an http(s) URL without credentials and fragment, or nines:metrics',
  (value) => isHttpUrl(value.trim()) || /^nines:[a-z]{1,20}$/.test(value.trim()),
)

/** What is presented of both. */
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
    },
    { title: 'CollectionHealth' },
  ),
  created_at: t.String(),
  updated_at: t.String(),
}

export function presentHealth({ status, lastAtMs, lastDurationMs, lastError, samples }: Health) {
  return {
    status,
    last_at: isoTimeOrNull(lastAtMs),
    last_duration_ms: lastDurationMs === null ? null : toMicroseconds(lastDurationMs),
    last_error: lastError,
    samples,
  }
}

function toMicroseconds(ms: number): number {
  return Math.round(ms * 1000) / 1000
}

/** What one run gives that is kept nowhere. */
export const Trial = t.Object(
  {
    ok: t.Boolean(),
    error: t.Nullable(t.String()),
    duration_ms: t.Number(),
    sample_count: t.Number(),
    samples: t.Array(t.Object({ name: t.String(), labels: t.Record(t.String(), t.String()), value: t.String() })),
  },
  { title: 'CollectionTrial' },
)
export type Trial = Static<typeof Trial>

/** So many of the samples are presented. */
const maxSamples = 100

export function presentTrial({ ok, error, durationMs, readings }: Outcome): Trial {
  return {
    ok,
    error,
    duration_ms: toMicroseconds(durationMs),
    sample_count: readings.length,
    samples: readings.slice(0, maxSamples).map(({ labels, value }) => {
      const { __name__: name = '', ...others } = Object.fromEntries(labels)
      return { name, labels: others, value: valueText(value) }
    }),
  }
}
