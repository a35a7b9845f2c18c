import { Glob } from 'bun'
import { existsSync } from 'node:fs'
import { join, normalize } from 'node:path/posix'

/** A link to a file in the repository. `to`: a path from its root; `anchor`: the text after the `#`, or ''. */
export type Link = { from: string; written: string; to: string; anchor: string }

const fence = /^ {0,3}(```|~~~)[^\n]*\n[\s\S]*?^ {0,3}\1[ \t]*$/gm
const link = /\[[^\]]*\]\(\s*<?(?<target>[^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g
const heading = /^ {0,3}#{1,6}[ \t]+(?<title>.+?)[ \t]*#*$/gm

/** Every Markdown file of the repository, as a path from its root. */
export function markdownFiles(root: string): string[] {
  const isOurs = (file: string) => !/(?:^|\/)(?:node_modules|dist|data|\.git)\//.test(file)
  return [...new Glob('**/*.md').scanSync({ cwd: root, dot: true })].filter(isOurs).toSorted()
}

/** Links of a Markdown text within the repository, except in code. */
export function linksIn(file: string, text: string): Link[] {
  const prose = text.replace(fence, '').replace(/(`+)[^`]*?\1/g, 'code')
  return [...prose.matchAll(link)]
    .map(({ groups }) => groups?.['target'] ?? '')
    .filter((target) => !/^(?:[a-z][a-z+.-]*:|\/\/)/i.test(target))
    .map((written) => {
      const [path = '', anchor = ''] = decodeURI(written).split('#')
      const to = path === '' ? file : normalize(join(file, '..', path))
      return { from: file, written, to, anchor }
    })
}

/** Anchors of a Markdown text, generated from its headings as on GitHub. */
export function anchorsIn(text: string): Set<string> {
  const anchors = new Set<string>()
  for (const { groups } of text.replace(fence, '').matchAll(heading)) {
    const slug = slugOf(groups?.['title'] ?? '')
    let unique = slug
    for (let again = 1; anchors.has(unique); again += 1) unique = `${slug}-${again}`
    anchors.add(unique)
  }
  return anchors
}

/** Error of a link; null: none. `textOf` reads a file of the repository. */
export function brokenLink(root: string, { to, anchor }: Link, textOf: (file: string) => string): string | null {
  if (!existsSync(join(root, to))) return `there is no ${to}`
  if (anchor === '' || !to.endsWith('.md')) return null
  return anchorsIn(textOf(to)).has(anchor) ? null : `${to} has no heading #${anchor}`
}

function slugOf(title: string): string {
  const text = title.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase()
  return text.replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '').replaceAll(' ', '-')
}
