/** Milliseconds until a Retry-After: seconds or a date (RFC 9110, 10.2.3). Undefined if it is invalid or in the past. */
export function readRetryAfter(value: string | null, nowMs: number): number | undefined {
  const text = value?.trim() ?? ''
  if (/^\d+(?:\.\d+)?$/.test(text)) return Number(text) * 1000
  // the oldest date format has no time zone; like the others it is in GMT
  const timeMs = Date.parse(/^[A-Za-z]{3} .* \d{4}$/.test(text) ? `${text} GMT` : text)
  return Number.isNaN(timeMs) || timeMs <= nowMs ? undefined : timeMs - nowMs
}
