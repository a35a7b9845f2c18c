import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { filesOf } from './comments.ts'
import { markdownFiles } from './markdown.ts'

const root = join(import.meta.dir, '..', '..')
const files = filesOf(root)
const ends = new Set(files.flatMap((file) => pathsTo(file)))

/** Made with the first migration: see "A change of the schema" of the architecture. */
const later = new Set(['test/db/first-schema.sql'])

/** Paths by which a text may name a file or a folder of it: `src/http/bodies/body.ts`, `http/bodies/body`, `bodies/body`, `bodies/`. */
function pathsTo(file: string): string[] {
  const parts = file.replace(/\.(?:d\.ts|test\.ts|proof\.ts|tsx?|mjs|css)$/, '').split('/')
  const names = file.split('/')
  return [names, parts].flatMap((all) =>
    all.flatMap((_, from) => all.slice(from).map((_end, count) => all.slice(from, from + count + 1).join('/'))),
  )
}

/** Paths of files in code spans of a text, without packages, addresses, types of media, placeholders and what a build makes. */
function namedIn(text: string): string[] {
  return [...text.replaceAll(/^```[^]*?^```/gm, '').matchAll(/`([a-z][\w.-]*(?:\/[\w.-]+)+)\/?`/g)].flatMap(
    ([, path = '']) => (/^(?:dist|application|text)\/|[A-Z]{3}/.test(path) ? [] : [path]),
  )
}

const documents = markdownFiles(root).filter((file) =>
  /^CONTRIBUTING|^docs\/(?:architecture|style|decisions\/.*)\.md|README\.md$/.test(file),
)

describe('a document for developers', () => {
  test('is found', () => {
    expect(documents).toContain('CONTRIBUTING.md')
    expect(documents).toContain('test/README.md')
    expect(documents.length).toBeGreaterThan(15)
  })

  test.each(documents)('names only files and folders that exist: %s', (document) => {
    const named = namedIn(readFileSync(join(root, document), 'utf8'))
    expect(named.filter((path) => !ends.has(path) && !later.has(path))).toEqual([])
  })
})
