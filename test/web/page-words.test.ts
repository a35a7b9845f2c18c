import { expect, test } from 'bun:test'
import { join } from 'node:path'

const folder = join(import.meta.dir, '../../src/web/page')

/** Choices between two texts by a count: `n === 1 ? 'SLO' : 'SLOs'`, `SLO${n === 1 ? '' : 's'}`. */
function pluralsIn(source: string): string[] {
  return [...source.matchAll(/(?:[!=]== 1|> 1) \? (?:'' : 's'|'s' : ''|(['`])[^'`\n]+\1 : ['`](?!['`]))/g)].map(
    ([text]) => text,
  )
}

/** Texts that are chosen and go on with a sentence, since they begin with a space or a mark: `by !== null && ` by ${by}``. */
function fragmentsIn(source: string): string[] {
  const texts = source.replaceAll(/class(?:Name)?=(?:"[^"\n]*"|\{[^\n]*\})/g, '')
  const chosen = /(?:\?|:|&&|\|\||\?\?)\s+['`][,;:.]? [(\w$](?!\{\w+\}`)[^\n]*/g
  return [...texts.matchAll(chosen)].map(([text]) => text)
}

const jsx = { jsx: 'react', jsxFactory: 'h', jsxFragmentFactory: 'Fragment' } as const
const transpiler = new Bun.Transpiler({ loader: 'tsx', tsconfig: { compilerOptions: jsx } })

/** Texts that go on with a sentence behind a value or an element: `Page {page} of {pages}`, `<b>{n}</b> selected`. */
function continuedIn(source: string): string[] {
  const calls = transpiler.transformSync(source).replaceAll(/(?<=[^\\(])", "/g, '') // adjacent texts as one
  return [...calls.matchAll(/[^}"\s], ("(?:[,;:.)] ?| )(?=[a-z(])[^"\n]*\p{L}{2}[^"\n]*")/gu)].map(
    ([, text = '']) => text,
  )
}

async function sources(pattern: string): Promise<[string, string][]> {
  const paths = [...new Bun.Glob(pattern).scanSync({ cwd: folder })].toSorted()
  return Promise.all(
    paths.map(async (path): Promise<[string, string]> => [path, await Bun.file(join(folder, path)).text()]),
  )
}

test('a count and its noun are put together by plural() alone', async () => {
  const found = (await sources('**/*.{ts,tsx}')).map(([path, text]) => [path, pluralsIn(text)] as const)
  const byHand = found.filter(([, plurals]) => plurals.length > 0)
  expect(byHand, "use plural(n, '# SLO', '# SLOs') of `format`").toEqual([])
})

// Another language has another order of the parts: a sentence is a function in the `words.ts` of its folder.
test('a view puts no sentence together from parts', async () => {
  const found = (await sources('**/*.tsx')).map(
    ([path, text]) => [path, [...fragmentsIn(text), ...continuedIn(text)]] as const,
  )
  const parts = found.filter(([, fragments]) => fragments.length > 0)
  expect(parts, 'make the whole sentence in a function of the `words.ts` of the folder').toEqual([])
})

test('what both look for is found', () => {
  const plurals = ["n === 1 ? 'SLO' : 'SLOs'", "SLO${n === 1 ? '' : 's'}", "n > 1 ? `${n} SLOs` : '1 SLO'"]
  expect(plurals.map((text) => pluralsIn(text).length)).toEqual([1, 1, 1])
  expect(pluralsIn("page === 1 ? '' : `&page=${page}`")).toEqual([])
  const fragments = [
    '{paused > 0 && `, ${paused} paused`}',
    "by === null ? '' : ` by ${by}`",
    "{isOver ? ' since' : null}",
  ]
  expect(fragments.map((text) => fragmentsIn(text).length)).toEqual([1, 1, 1])
  expect(fragmentsIn("class={`swatch${isOff ? ' off' : ''}`}")).toEqual([])
  const continued = ['<p>Page {page} of {pages}</p>', '<p><b>{count}</b> selected</p>', '<p>{name}, which is old.</p>']
  expect(continued.map((text) => continuedIn(`export const view = ${text}`).length)).toEqual([1, 1, 1])
  expect(continuedIn('export const view = <p>Name: {name}. <b>Saved.</b> Nothing else changes.</p>')).toEqual([])
})
