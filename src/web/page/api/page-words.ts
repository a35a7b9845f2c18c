import { formatWindow } from '../format.ts'

/** Phrases of the API that name its fields, in words of the page; more specific ones come first. */
const phrases: readonly (readonly [RegExp, string])[] = [
  [/,? (?:as )?with threshold: ([\d.]+) and threshold_op: lte/g, ' such as “at most $1”'],
  [/as threshold and threshold_op together/g, 'with a comparison'],
  [/set query_unit to percent\b/g, 'read it as one'],
  [/set query_unit to (\w+)/g, 'read it as a $1'],
  [/send it as (good|bad)_query/g, 'count them as $1'],
  [/\b(good|bad)_query (?:counts|is)\b/g, 'the $1 events are'],
  [/\btotal_query is\b/g, 'all events are'],
  [/window_method: mean/g, 'the mean over the window'],
  [/\bgood_query\b/g, 'the good events'],
  [/\bbad_query\b/g, 'the bad events'],
  [/\btotal_query\b/g, 'all events'],
  [/\bmetric_query\b/g, 'the query'],
  [/\bquery_unit\b/g, 'the unit'],
  [/\bwindow_method\b/g, 'the method'],
  [/\bthreshold_op\b/g, 'the comparison'],
  [/\btime_window\b/g, 'window'],
  [/\b(long|short)_window\b/g, 'the $1 window'],
  [/\bburn_rate_tiers\b/g, 'burn-rate alerts'],
  [/\bbudget_thresholds\b/g, 'budget thresholds'],
  [/\bteam_id\b/g, 'the team'],
  [/POST \/auth\/confirm-email\/resend mails the link again/g, 'the settings of your account mail the link again'],
  [/set smtp_security to starttls, or to none for no TLS/g, 'set the encryption to STARTTLS, or to None'],
  [
    /set smtp_security to none \(([^)]+)\), for TLS from the start to tls/g,
    'set the encryption to None ($1), for TLS from the start to TLS',
  ],
  [/smtp_security is starttls: set it to tls/g, 'The encryption is STARTTLS: set it to TLS'],
]

const windowLength = /\b(in|of|over|SLO,) (\d+[smhdw])\b/g

/** Sentence of the API in words of the page, which has no names of API fields. */
export function inPageWords(text: string): string {
  const written = phrases.reduce((sentence, [pattern, words]) => sentence.replace(pattern, words), text)
  return written.replace(windowLength, (_, word: string, length: string) => `${word} ${formatWindow(length)}`)
}
