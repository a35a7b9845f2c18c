/** Number of characters to insert, remove or replace to turn one text into the other (Levenshtein distance). */
export function levenshtein(from: string, to: string): number {
  const letters = [...to]
  let row = Array.from({ length: letters.length + 1 }, (_, at) => at)
  for (const [at, letter] of [...from].entries()) {
    const next = [at + 1]
    for (const [column, other] of letters.entries()) {
      const replaced = (row[column] ?? 0) + (letter === other ? 0 : 1)
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1))
    }
    row = next
  }
  return row[letters.length] ?? 0
}
