import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'

const folder = join(import.meta.dir, '../../src/web/page')

/** Files of the page with a text, but for those that may have it. */
async function filesWith(text: RegExp, allowed: ReadonlySet<string>): Promise<{ found: string[]; unused: string[] }> {
  const all = new Set<string>()
  for (const path of new Bun.Glob('**/*.{ts,tsx}').scanSync({ cwd: folder })) {
    if (text.test(await Bun.file(join(folder, path)).text())) all.add(path)
  }
  return { found: [...all.difference(allowed)].toSorted(), unused: [...allowed.difference(all)] }
}

// "The page's layer" of src/web/page/README.md: a page that needs more extends the part, and has none of its own.
describe('the page has one way', () => {
  test.each([
    ['a form', /<form\b/, ['ui/form/form.tsx', 'ui/dialog/form-dialog.tsx']],
    ['a table of rows', /class=["{`']+rows\b/, ['pages/explore/table/table.tsx']],
    ['a read again after a message', /\bonMessage\(/, ['api/live.ts', 'api/live-reads.ts', 'api/overview-updates.ts']],
    ['a refresh by an interval', /\bsetInterval\(/, ['api/live.ts', 'ui/time.tsx']],
    ['the role of the user', /\bme\.value\??\.role\b/, ['api/rights.ts']],
    ['a state of being busy', /\bsetBusy\b/, []],
    ['the title of the document', /\bdocument\.title\b/, ['ui/title.ts']],
  ])('to make %s', async (_, text, allowed) => {
    const files = await filesWith(text, new Set(allowed))
    expect(files, 'use the part that src/web/page/README.md names under "The page\'s layer"').toEqual({
      found: [],
      unused: [],
    })
  })
})
