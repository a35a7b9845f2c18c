import { Glob } from 'bun'

/** A name in a comment that matches nothing in the repository. */
type Missing = { at: string; name: string }

/** Names that a comment may use: files and folders from the root, and headings of documents. */
export type Repository = { files: string[]; headingsOf(document: string): string[] }

/** Comments of a TypeScript, JavaScript or SQL text, line by line; a name must not span two lines. */
export function commentsIn(text: string): { line: number; comment: string }[] {
  let isInside = false
  return text.split('\n').flatMap((line, at) => {
    const start = line.trimStart()
    const begins = start.startsWith('/*')
    const comment = isInside || begins ? start : behindCode(line)
    if (isInside || begins) isInside = !start.includes('*/')
    return comment === '' ? [] : [{ line: at + 1, comment }]
  })
}

/** Comment after `//` or `--` at the start of a line or after a space, outside of quotes. */
function behindCode(line: string): string {
  for (const { index } of line.matchAll(/(?<=^|\s)(?:\/\/|--)\s/g)) {
    const before = line.slice(0, index)
    if (["'", '"', '`'].every((quote) => before.split(quote).length % 2 === 1)) return line.slice(index)
  }
  return ''
}

const fileName = /(?<![\w@/.*…-])(?:[\w@.-]+\/)*[\w-]+(?:\.[\w-]+)*\.(?:md|ts|mjs|sql|sh|py)\b/g
const quoted = /`(?<path>[a-z][\w-]*(?:\/[a-z][\w-]*)+)`/g
const bare = /(?<![\w/.:$@-])(?<path>[a-z][\w-]*(?:\/[a-z][\w-]*)+)(?![\w/.:-])/g
const section = /(?<document>docs\/[\w/-]+\.md), (?<titles>"[^"]+"(?:(?:,| and) "[^"]+")*)/g

/** Names in the comments of a file that do not exist. */
export function missingIn(file: string, text: string, repository: Repository): Missing[] {
  return commentsIn(text).flatMap(({ line, comment }) =>
    [...missingNames(comment, repository), ...missingSections(comment, repository)].map((name) => ({
      at: `${file}:${line}`,
      name,
    })),
  )
}

function missingNames(comment: string, { files }: Repository): string[] {
  const names = [...comment.matchAll(fileName)].map(([name]) => name)
  const paths = new Set(
    [...comment.matchAll(quoted), ...comment.matchAll(bare)].map((found) => found.groups?.['path'] ?? ''),
  )
  const isOfSrc = (path: string) => files.some((one) => one.startsWith(`src/${path.split('/')[0]}/`))
  const ofSrc = [...paths].filter(isOfSrc)
  return [
    ...names.filter((name) => !files.some((one) => one === name || one.endsWith(`/${name}`))),
    ...ofSrc.filter((path) => !files.some((one) => isModule(one, path))),
  ]
}

/** `cache/entry-store` is a file in src, `app/` and `db/steps` are folders in it. */
function isModule(file: string, path: string): boolean {
  return file === `src/${path}.ts` || file.startsWith(`src/${path}/`)
}

function missingSections(comment: string, { headingsOf }: Repository): string[] {
  return [...comment.matchAll(section)].flatMap(({ groups = {} }) => {
    const { document = '', titles = '' } = groups
    const headings = headingsOf(document)
    return [...titles.matchAll(/"([^"]+)"/g)]
      .map(([, title = '']) => title)
      .filter((title) => !headings.includes(title))
      .map((title) => `${document}, "${title}"`)
  })
}

const places = ['*', '.ci/*', '{docs,scripts,src,test}/**/*']

/** All files that are not installed or generated, as paths from the root. */
export function filesOf(root: string): string[] {
  return places.flatMap((place) => [...new Glob(place).scanSync({ cwd: root, dot: true })])
}

export const isSource = (file: string) => /\.(?:ts|mjs|sql|sh|py)$/.test(file)
