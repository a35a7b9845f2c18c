const [newline, space, tab, quote, colon, backslash, openBrace, closeBrace] = [10, 32, 9, 34, 58, 92, 123, 125]

const inName = Uint8Array.from({ length: 256 }, (_, byte) => (/[a-zA-Z0-9_:]/.test(String.fromCharCode(byte)) ? 1 : 0))
const digits = { first: 48, last: colon - 1 }

/**
 * End of the text of a series that begins at `from`: after its brace, or after its name if it has none. -1 if none begins
 * there, or it does not end. Correct for valid text; arbitrary for any other.
 */
export function endOfSeries(bytes: Buffer, from: number, open: boolean): number {
  const first = bytes[from] ?? newline
  if (first !== openBrace && (inName[first] !== 1 || (first >= digits.first && first <= digits.last))) return -1
  let nameEnd = from
  while (inName[bytes[nameEnd] ?? newline] === 1) nameEnd += 1
  let at = nameEnd
  if (!open) while (bytes[at] === space || bytes[at] === tab) at += 1
  if (bytes[at] !== openBrace) return nameEnd
  let isQuoted = false
  for (at += 1; at < bytes.length; at += 1) {
    const byte = bytes[at]
    if (byte === quote) isQuoted = !isQuoted
    else if (byte === backslash && isQuoted) at += 1
    else if (byte === closeBrace && !isQuoted) return at + 1
  }
  return -1
}
