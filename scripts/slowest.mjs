/**
 * The slowest test files, one a line: seconds, then the name. Reads what `bun test --update-timings` writes.
 * @param {{ files: Record<string, number> }} timings milliseconds by file
 * @param {number} [most]
 * @returns {string[]}
 */
export function slowestFiles({ files }, most = 20) {
  return Object.entries(files)
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, most)
    .map(([name, ms]) => `${(ms / 1000).toFixed(1).padStart(7)} s  ${name}`)
}
