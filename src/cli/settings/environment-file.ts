/** Variable of a file, with the number of its line. */
export type Assignment = { name: string; value: string; line: number }

/** A line of an environment file is wrong; the message names the line and repeats no value, which may be a secret. */
export class EnvironmentFileError extends Error {}

/** Characters before which a backslash is dropped within double quotes; before any other it stays. */
const escapedInQuotes = new Set(['"', '\\', '`', '$', '\n'])

/**
 * Parses `NAME=value` lines as systemd does for `EnvironmentFile`: lines that begin with `#` or `;` are comments, values may be
 * quoted and then span lines, and a backslash at the end of a line continues it.
 */
export function parseEnvironmentFile(text: string): Assignment[] {
  const source = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n')
  const assignments: Assignment[] = []
  let at = 0
  let line = 1
  while (at < source.length) {
    const end = lineEnd(source, at)
    const written = source.slice(at, end)
    if (/^\s*(?:[#;]|$)/.test(written)) {
      at = end + 1
      line += 1
      continue
    }
    const { groups } = /^\s*(?<name>[A-Za-z_]\w*)[ \t]*=/.exec(written) ?? {}
    if (!groups?.['name'])
      throw new EnvironmentFileError(`line ${line}: must be NAME=value, or a comment that begins with #`)
    const start = at + written.indexOf('=') + 1
    const { value, next } = readValue(source, start, line)
    assignments.push({ name: groups['name'], value, line })
    line += source.slice(at, next).split('\n').length - 1
    at = next
  }
  return assignments
}

function lineEnd(source: string, at: number): number {
  const end = source.indexOf('\n', at)
  return end === -1 ? source.length : end
}

type Read = { value: string; next: number }

/** Reads a value, of quoted and unquoted parts, to the end of its line. `next`: start of the line after it. */
function readValue(source: string, start: number, line: number): Read {
  let value = ''
  let keepLength = 0 // white space after this length is not quoted, and is dropped at the end of the line
  let isStart = true // quotes are special only at the start, and after a quoted part
  let at = start
  for (; at < source.length && source[at] !== '\n'; at += 1) {
    const char = source[at] ?? ''
    if (isStart && (char === '"' || char === "'")) {
      const quoted = readQuoted(source, at, line)
      value += quoted.value
      keepLength = value.length
      at = quoted.next
    } else if (char === '\\') {
      at += 1
      if (source[at] !== '\n') value += source[at] ?? ''
      keepLength = value.length
      isStart = false
    } else if (!(isStart && /\s/.test(char))) {
      value += char
      if (!/\s/.test(char)) keepLength = value.length
      isStart = false
    }
  }
  return { value: value.slice(0, keepLength), next: at + 1 }
}

/** Reads a part in quotes. `next`: place of its closing quote. */
function readQuoted(source: string, start: number, line: number): Read {
  const quote = source[start]
  let value = ''
  for (let at = start + 1; at < source.length; at += 1) {
    const char = source[at] ?? ''
    if (char === quote) return { value, next: at }
    const following = source[at + 1] ?? ''
    if (quote === '"' && char === '\\' && escapedInQuotes.has(following)) {
      if (following !== '\n') value += following
      at += 1
    } else {
      value += char
    }
  }
  throw new EnvironmentFileError(`line ${line}: the quote ${quote} is not closed`)
}
