/** Part of a line of Markdown. `link` has an http or https address. */
export type Inline =
  | { kind: 'text'; text: string }
  | { kind: 'code'; text: string }
  | { kind: 'strong'; of: Inline[] }
  | { kind: 'em'; of: Inline[] }
  | { kind: 'link'; href: string; of: Inline[] }

/** Block of Markdown. A paragraph keeps its line breaks. */
export type Block =
  | { kind: 'heading'; level: number; of: Inline[] }
  | { kind: 'paragraph'; lines: Inline[][] }
  | { kind: 'quote'; of: Block[] }
  | { kind: 'list'; isOrdered: boolean; items: Inline[][] }
  | { kind: 'code'; text: string }

const heading = /^(#{1,6})\s+(.+)$/
const bullet = /^\s*[-*+]\s+(.+)$/
const numbered = /^\s*\d{1,9}[.)]\s+(.+)$/
const quoted = /^>\s?(.*)$/
const fence = /^```/
const maxQuotes = 5

/** Reads a subset of Markdown: headings, paragraphs, lists of one level, quotes, code, bold, italic and links. All else is text, HTML too. */
export function readMarkdown(text: string, depth = 0): Block[] {
  const lines = text.split(/\r?\n/)
  const blocks: Block[] = []
  let at = 0
  /** Takes the lines that a pattern matches, as their first group. */
  const takeAll = (pattern: RegExp): string[] => {
    const taken: string[] = []
    for (let found = pattern.exec(lines[at] ?? ''); found; found = pattern.exec(lines[at] ?? '')) {
      taken.push(found[1] ?? '')
      at += 1
    }
    return taken
  }
  while (at < lines.length) {
    const line = lines[at] ?? ''
    const title = heading.exec(line)
    if (line.trim() === '') at += 1
    else if (fence.test(line)) {
      const rest = lines.slice(at + 1)
      const length = rest.findIndex((one) => fence.test(one))
      const inside = length === -1 ? rest : rest.slice(0, length)
      blocks.push({ kind: 'code', text: inside.join('\n') })
      at += inside.length + 2
    } else if (title) {
      blocks.push({ kind: 'heading', level: title[1]?.length ?? 1, of: readInline(title[2] ?? '') })
      at += 1
    } else if (quoted.test(line) && depth < maxQuotes) {
      blocks.push({ kind: 'quote', of: readMarkdown(takeAll(quoted).join('\n'), depth + 1) })
    } else if (bullet.test(line) || numbered.test(line)) {
      const isOrdered = !bullet.test(line)
      const items = takeAll(isOrdered ? numbered : bullet).map((item) => readInline(item))
      blocks.push({ kind: 'list', isOrdered, items })
    } else {
      const start = at
      do at += 1
      while (at < lines.length && isProse(lines[at] ?? ''))
      blocks.push({ kind: 'paragraph', lines: lines.slice(start, at).map((one) => readInline(one)) })
    }
  }
  return blocks
}

function isProse(line: string): boolean {
  return line.trim() !== '' && ![heading, bullet, numbered, quoted, fence].some((pattern) => pattern.test(line))
}

// each part has a maximum length, so that the time to search a line grows only with its length
const marks =
  /`([^`\n]{1,500})`|\[([^\]\n]{1,500})\]\((https?:\/\/[^\s)]{1,2000})\)|(https?:\/\/[^\s<>"]{1,2000})|\*\*([^*\n]{1,500})\*\*|(?<![\w*])[*_]([^*_\s][^*_\n]{0,499})[*_](?![\w*])/g

function readInline(text: string): Inline[] {
  const parts: Inline[] = []
  let end = 0
  for (const found of text.matchAll(marks)) {
    const { part, length } = inlineOf(found)
    if (found.index > end) parts.push({ kind: 'text', text: text.slice(end, found.index) })
    parts.push(part)
    end = found.index + length
  }
  if (end < text.length) parts.push({ kind: 'text', text: text.slice(end) })
  return parts
}

/** Part that a mark stands for, and the length of the text that it covers: punctuation after an address is not covered. */
function inlineOf([whole, code, label, href, bare, strong, em]: RegExpExecArray): { part: Inline; length: number } {
  const { length } = whole
  if (code !== undefined) return { part: { kind: 'code', text: code }, length }
  if (strong !== undefined) return { part: { kind: 'strong', of: readInline(strong) }, length }
  if (em !== undefined) return { part: { kind: 'em', of: readInline(em) }, length }
  const address = href ?? (bare ?? '').replace(/[.,;:!?)\]'*_]+$/, '')
  if (!URL.canParse(address)) return { part: { kind: 'text', text: whole }, length }
  const text = label ?? address
  return {
    part: { kind: 'link', href: address, of: [{ kind: 'text', text }] },
    length: label ? length : address.length,
  }
}
