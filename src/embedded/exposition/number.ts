const decimal = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i
const infinite = /^([+-]?)inf(?:inity)?$/i
const mostExactDigits = 15
const zero = 48

/**
 * A float as Prometheus reads it, which is Go's `ParseFloat` without hexadecimal and underscores: undefined for anything
 * else, and for a finite number that does not fit.
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

/** Most values of most expositions, at a fraction of the cost. */
function smallInteger(text: string): number | undefined {
  const { length } = text
  if (length === 0 || length > mostExactDigits) return undefined
  let value = 0
  for (let at = 0; at < length; at += 1) {
    const digit = text.charCodeAt(at) - zero
    if (digit < 0 || digit > 9) return undefined
    value = value * 10 + digit
  }
  return value
}
