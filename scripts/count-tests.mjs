import { stripVTControlCharacters } from 'node:util'

/**
 * Parses the closing lines of `bun test` (on its stderr); "todo" counts as skipped. `undefined`: the lines are missing, because
 * a test ended the process.
 * @param {string} output
 * @returns {{ passed: number, failed: number, skipped: number } | undefined}
 */
export function countTests(output) {
  const lines = stripVTControlCharacters(output).split('\n')
  const end = lines.findLastIndex((line) => /^Ran \d+ tests? across \d+ files?\./.test(line))
  if (end < 0) return undefined
  const closing = lines.slice(lines.lastIndexOf('', end) + 1, end)
  /** @param {string} word */
  const count = (word) =>
    Number(closing.map((line) => /^ *(\d+) (\w+)$/.exec(line)).find((m) => m?.[2] === word)?.[1] ?? 0)
  return { passed: count('pass'), failed: count('fail'), skipped: count('skip') + count('todo') }
}
