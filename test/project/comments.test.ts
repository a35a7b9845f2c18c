import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { commentsIn, filesOf, isSource, missingIn, type Repository } from './comments.ts'

const root = join(import.meta.dir, '..', '..')
const textOf = (file: string) => readFileSync(join(root, file), 'utf8')

test('every file, folder and section that a comment of the program names is in the repository, and every document that a test names', () => {
  const files = filesOf(root)
  const repository = { files, headingsOf: (document: string) => headingsIn(textOf(document)) }
  const sources = files.filter(isSource).filter((file) => !file.startsWith('test/project/comments'))
  const texts = sources.map((file) => [file, textOf(file)] as const)
  expect(texts.reduce((sum, [, text]) => sum + commentsIn(text).length, 0)).toBeGreaterThan(3000)
  const missing = texts.flatMap(([file, text]) => missingIn(file, text, repository))
  // Tests may mention files that do not exist yet or that they create.
  expect(missing.filter(({ at, name }) => !at.startsWith('test/') || name.includes('.md'))).toEqual([])
})

// A reader finds the subject first: "Seconds until the retry", not "How long it waits".
test('no doc comment of the program begins with a question word or a pronoun', () => {
  const sources = filesOf(root).filter((file) => file.startsWith('src/') && isSource(file))
  const headless = sources.flatMap((file) =>
    [
      ...textOf(file).matchAll(
        /\/\*\*\s+(?:\* )?(?:What|Whether|How|Of|One|Those|Who|Where) (?!to |many |long |much )[^\n]*/g,
      ),
    ].map(([comment]) => `${file}: ${comment}`),
  )
  expect(headless).toEqual([])
})

function headingsIn(document: string): string[] {
  return document.split('\n').flatMap((line) => (/^#+ /.test(line) ? [line.replace(/^#+ /, '')] : []))
}

const repository: Repository = {
  files: ['schema.sql', 'docs/slo-math.md', 'src/cache/entry-store.ts', 'src/cache/tiers/disk.ts', 'scripts/build.mjs'],
  headingsOf: () => ['Budget', 'Status'],
}

describe('the checker of comments', () => {
  test.each([
    ['// see rules.md', 'rules.md'],
    ['// see docs/rules.md, section 3', 'docs/rules.md'],
    ['-- see src/cache/gone.ts', 'src/cache/gone.ts'],
    ['const a = 1 // as in gone.mjs', 'gone.mjs'],
    ['/** Kept by `cache/gone`. */', 'cache/gone'],
    ['/**\n * Bun has a limit; ours is in cache/gone\n */', 'cache/gone'],
    ['/** Rule: docs/slo-math.md, "Budget" and "Unit". */', 'docs/slo-math.md, "Unit"'],
  ])('finds what %p names in vain', (text, name) => {
    expect(missingIn('src/x.ts', text, repository).map((missing) => missing.name)).toEqual([name])
  })

  test.each([
    '/** Rule: docs/slo-math.md, "Budget" and "Status". */',
    '// schema.sql, slo-math.md, entry-store.ts, build.mjs and scripts/build.mjs are there',
    '// `cache/entry-store`, cache/tiers and `cache/tiers/disk` are there',
    '// text/plain and and/or are no files of ours, nor are https://example.com/cache/gone and /cache/gone',
    "const url = 'http://example.com/gone.ts' + ' // gone.ts'",
    "import { gone } from './gone.ts'",
  ])('finds nothing in %p', (text) => {
    expect(missingIn('src/x.ts', text, repository)).toEqual([])
  })

  test('says where a name stands', () => {
    expect(missingIn('src/x.ts', 'const a = 1\n\n// see gone.md\n', repository)).toEqual([
      { at: 'src/x.ts:3', name: 'gone.md' },
    ])
  })
})
