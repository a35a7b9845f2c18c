/** Which of the known names somebody meant who wrote one that is not known; nothing where none is near. */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  const written = plain(name.slice(0, 50))
  const near = [...known]
    .map((one) => ({ one, distance: sorted(written) === sorted(plain(one)) ? 0 : distanceOf(written, plain(one)) }))
    .filter(({ one, distance }) => distance <= Math.floor(one.length / 3))
  return near.toSorted((a, b) => a.distance - b.distance)[0]?.one
}

/** `pageSize`, `page-size` and `page_size` are one. */
function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
}

function sorted(letters: string): string {
  return [...letters].toSorted().join('')
}

/** How many letters are to be inserted, removed or replaced (Levenshtein). */
function distanceOf(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at)
  for (const [at, letter] of [...from].entries()) {
    const next = [at + 1]
    for (const [column, other] of [...to].entries()) {
      const replaced = (row[column] ?? 0) + (letter === other ? 0 : 1)
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1))
    }
    row = next
  }
  return row[to.length] ?? 0
}
