import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { entryOf, listed } from '../../src/web/page/address/routes.ts'

const root = join(import.meta.dir, '..', '..')
const textsIn = (folder: string, isOf: (name: string) => boolean) =>
  readdirSync(join(root, folder))
    .filter(isOf)
    .map((name) => readFileSync(join(root, folder, name), 'utf8'))

const forDevelopers: ReadonlySet<string> = new Set(['architecture.md', 'style.md', 'performance.md', 'releasing.md'])

// "A new page" of src/web/page/README.md
describe('a section that a menu of the page lists', () => {
  const walks = textsIn('test/browser', (name) => name.endsWith('.proof.ts') && name !== 'page-map.proof.ts')
  const documents = textsIn('docs', (name) => name.endsWith('.md') && !forDevelopers.has(name))

  test.each(listed.map((section) => [section.label, entryOf(section)] as const))(
    'is walked through in a browser and described in the documents: %s',
    (label, entry) => {
      const opens = new RegExp(`[}'\`]${entry}(?![\\w-])`)
      const names = new RegExp(`\\b${label}\\b`)
      const has = {
        walk: walks.some((text) => opens.test(text)),
        document: documents.some((text) => names.test(text)),
      }
      const todo = `write test/browser/NAME.proof.ts that opens ${entry}; name "${label}" in docs, where its user would read it`
      expect(has, todo).toEqual({ walk: true, document: true })
    },
  )
})
