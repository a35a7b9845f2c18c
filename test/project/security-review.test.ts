import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { evidence } from '../auth/security-evidence.ts'

const root = join(import.meta.dir, '..', '..')
const text = readFileSync(join(root, 'docs', 'security-review.md'), 'utf8')
const rows = [...text.matchAll(/^\| (\d+\.\d+\.\d+) \| [^|]+ \| ([^|]+) \|$/gm)].map(([, id = '', result = '']) => ({
  id,
  result,
}))

/** OWASP ASVS 5.0.0: how many requirements of each section of a chapter are of levels 1 and 2. They come first in their section. */
const counts: Record<number, number[]> = {
  6: [3, 12, 4, 4, 5, 3, 0, 4],
  7: [3, 4, 2, 5, 2, 2],
  8: [2, 3, 1, 1],
  9: [3, 4],
  10: [2, 2, 4, 11, 5, 2, 3],
}

describe('the security review', () => {
  test('has each requirement of levels 1 and 2 once, in order', () => {
    const required = Object.entries(counts).flatMap(([chapter, sections]) =>
      sections.flatMap((count, at) => Array.from({ length: count }, (_, n) => `${chapter}.${at + 1}.${n + 1}`)),
    )
    expect(rows.map(({ id }) => id)).toEqual(required)
  })

  test.each(rows)('$id is met, not met, in part or not applicable, with a reason or a test', ({ id, result }) => {
    expect(result).toMatch(/^(?:Met|Not met|In part|Not applicable)(?:[:,. ]|$)/)
    const isExplained = /^(?:Met|Not met|Not applicable)(?:: |\. )|by default/.test(result)
    expect(isExplained || evidence[id] !== undefined).toBe(true)
  })

  const named = Object.entries(evidence).flatMap(([id, tests]) => tests.map(([file, title]) => ({ id, file, title })))

  test.each(named)('the test of $id exists: $file $title', ({ id, file, title }) => {
    expect(rows.map((row) => row.id)).toContain(id)
    const path = file.startsWith('test/') ? file : `test/auth/${file}.test.ts`
    expect([path, existsSync(join(root, path))]).toEqual([path, true])
    expect(readFileSync(join(root, path), 'utf8')).toContain(title)
  })

  test('names at its begin what is not met and what is in part', () => {
    const [intro = ''] = text.split('\n## ')
    const named = intro.match(/\d+\.\d+\.\d+(?=[)., ])/g)?.filter((id) => id !== '5.0.0')
    const isMissing = ({ result }: (typeof rows)[number]) => /^(?:Not met|In part)/.test(result)
    expect(named?.toSorted()).toEqual(
      rows
        .filter(isMissing)
        .map(({ id }) => id)
        .toSorted(),
    )
  })
})
