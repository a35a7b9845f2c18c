const unitMs = new Map([
  ['ms', 1],
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
  ['w', 7 * 86_400_000],
  ['y', 365 * 86_400_000],
])

/** Seconds of a PromQL duration (`1h30m`, `500ms`) or number (`300`, `0x1F`, `1_000`); undefined for anything else. */
export function durationSeconds(text: string): number | undefined {
  const plain = Number(text.replaceAll('_', ''))
  if (text !== '' && Number.isFinite(plain)) return plain
  let totalMs = 0
  let at = 0
  while (at < text.length) {
    const digits = runFrom(text, at, isDigit)
    const unit = runFrom(text, at + digits.length, (char) => !isDigit(char))
    const factor = unitMs.get(unit)
    if (digits === '' || factor === undefined) return undefined
    totalMs += Number(digits) * factor
    at += digits.length + unit.length
  }
  return at > 0 ? totalMs / 1000 : undefined
}

function runFrom(text: string, start: number, belongs: (char: string) => boolean): string {
  let end = start
  while (end < text.length && belongs(text.charAt(end))) end++
  return text.slice(start, end)
}

const isDigit = (char: string) => char >= '0' && char <= '9'
