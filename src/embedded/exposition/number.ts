const decimal = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i
const infinite = /^([+-]?)inf(?:inity)?$/i
const maxExactDigits = 15
const zero = 48

/**
 * Parses a float like Prometheus: Go's `ParseFloat` without hexadecimal and underscores. Undefined for anything else, and for a
 * finite number out of range.
 */
export function parseFloat64(text: string): number | undefined {
  const small = smallInteger(text)
  if (small !== undefined) return small
  if (decimal.test(text)) {
    const value = Number(text)
    return Number.isFinite(value) ? value : undefined
  }
  if (text.toLowerCase() === 'nan') return NaN
  const sign = infinite.exec(text)?.[1]
  if (sign === undefined) return undefined
  return sign === '-' ? -Infinity : Infinity
}

/** Formats a bound like Prometheus 3 stores it, `1.0` or `1e+06`; text that is no number stays unchanged. */
export function asBound(text: string): string {
  const value = parseFloat64(text)
  if (value === undefined) return text
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'
  if (value === 0) return '0.0'
  const [digits = '', exponent = ''] = value.toExponential().split('e')
  const places = Number(exponent)
  if (places < -4 || places > 5) return `${digits}e${exponent.slice(0, 1)}${exponent.slice(1).padStart(2, '0')}`
  const plain = String(value)
  return plain.includes('.') ? plain : `${plain}.0`
}

/** Fast path for short integers, which most values of most expositions are. */
function smallInteger(text: string): number | undefined {
  const { length } = text
  if (length === 0 || length > maxExactDigits) return undefined
  let value = 0
  for (let at = 0; at < length; at += 1) {
    const digit = text.charCodeAt(at) - zero
    if (digit < 0 || digit > 9) return undefined
    value = value * 10 + digit
  }
  return value
}
