/** Line of a CSV file after RFC 4180. A number is written as it is, also a negative one. */
export function csvLine(cells: readonly (string | number)[]): string {
  return `${cells.map((cell) => (typeof cell === 'number' ? String(cell) : csvCell(cell))).join(',')}\r\n`
}

/** Start of a formula of a spreadsheet: also with a full-width sign, or after invisible characters. */
const formula = /^(?:[\t\r]|[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]*[=+\-@＝＋－＠])/u

/** Quotes a cell. A spreadsheet would run one that begins like a formula: an apostrophe makes it text. */
function csvCell(text: string): string {
  const safe = formula.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
