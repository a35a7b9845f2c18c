import { expect, test } from 'bun:test'
import { join } from 'node:path'

const folder = join(import.meta.dir, '../../src/web/page')
const overrides = /^@media (?:print|\(pointer: coarse\))/

/**
 * Classes that a style sheet styles by themselves: `.card`, but not `.card p`. Left out is what sheets of the frame say about
 * classes of the pages for paper and for fingers.
 */
function classesOf(css: string): string[] {
  const classes: string[] = []
  let depth = 0
  let mediaDepth = Infinity
  for (const [, prelude = '', brace] of css.replaceAll(/\/\*.*?\*\//gs, '').matchAll(/([^{};]*)([{};])/g)) {
    if (brace === '{') {
      depth++
      if (overrides.test(prelude.trim())) mediaDepth = Math.min(mediaDepth, depth)
      if (mediaDepth === Infinity) classes.push(...prelude.split(',').map((selector) => selector.trim()))
    }
    if (brace === '}' && --depth < mediaDepth) mediaDepth = Infinity
  }
  return classes.filter((selector) => /^\.[\w-]+$/.test(selector))
}

// Style sheets are loaded with the first page that needs them and then stay, so that a class of two of them changes with the way
// on which somebody came.
test('a class is styled by one style sheet alone, beside the base', async () => {
  const sheets = new Map<string, Set<string>>()
  for (const path of new Bun.Glob('**/*.css').scanSync({ cwd: folder })) {
    if (path === 'style/base.css') continue
    for (const name of classesOf(await Bun.file(join(folder, path)).text())) {
      sheets.set(name, (sheets.get(name) ?? new Set()).add(path))
    }
  }
  const shared = [...sheets].filter(([, files]) => files.size > 1)
  expect(shared.map(([name, files]) => `${name}: ${[...files].toSorted().join(', ')}`)).toEqual([])
})
