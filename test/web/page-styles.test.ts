import { expect, test } from 'bun:test'
import { join } from 'node:path'

const folder = join(import.meta.dir, '../../src/web/page')
const overrides = /^@media (?:print|\(pointer: coarse\))/

/**
 * Classes that a style sheet styles wherever they stand: `.card`, `.card:hover` and `.card p`, but not `.page .card`, `.card.page` or what
 * is nested. Left out is what sheets of the frame say about classes of the pages for paper and for fingers.
 */
function classesOf(css: string): string[] {
  const open: string[] = []
  const classes: string[] = []
  for (const [, text = '', brace] of css.replaceAll(/\/\*.*?\*\//gs, '').matchAll(/([^{};]*)([{};])/g)) {
    const prelude = text.trim()
    const isOutside = open.every((one) => one.startsWith('@') && !overrides.test(one))
    if (brace === '{' && isOutside) {
      const selectors = prelude.split(/,(?![^(]*\))/)
      classes.push(...selectors.flatMap((selector) => /^\.[\w-]+(?![\w.-])/.exec(selector.trim())?.[0] ?? []))
    }
    if (brace === '{') open.push(prelude)
    if (brace === '}') open.pop()
  }
  return classes
}

test('a class counts for its sheet where no other class or rule holds it', () => {
  const css =
    '@layer a { .a, b .c { x: y; .d { x: y } } @media (width) { .e:is(.f, .g) > p {} } @media print { .h {} } } .i.j {}'
  expect(classesOf(css)).toEqual(['.a', '.e'])
})

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

/** Rules of a sheet that no other rule holds, with the layers and queries around them: `@layer pages @media print .views`. */
type Outer = { around: string; selectors: string[] }

function outerOf(css: string): Outer[] {
  const open: string[] = []
  const found: Outer[] = []
  for (const [, text = '', brace] of css.replaceAll(/\/\*.*?\*\//gs, '').matchAll(/([^{};]*)([{};])/g)) {
    const prelude = text.trim().replaceAll(/\s+/g, ' ')
    const around = open.filter((one) => one.startsWith('@') || one.startsWith(':where('))
    const isOuter =
      around.length === open.length && !/^(?:@|:where\()/.test(prelude) && !/@keyframes/.test(around.join())
    if (brace === '{' && isOuter) {
      found.push({ around: around.join(' '), selectors: prelude.split(/,(?![^(]*\))/).map((one) => one.trim()) })
    }
    if (brace === '{') open.push(prelude)
    if (brace === '}') open.pop()
  }
  return found
}

// The root is the class that a page gives to `Page`. `:where` scopes a rule without adding to its weight.
test('a sheet of a page styles what stands below the class of the page', async () => {
  const elsewhere: string[] = []
  for (const path of new Bun.Glob('pages/**/*.css').scanSync({ cwd: folder })) {
    const page = path.split('/')[1]
    const isScoped = ({ around, selectors }: Outer) =>
      around.endsWith(` :where(.${page})`) || selectors.every((one) => one === `.${page}`)
    const outer = outerOf(await Bun.file(join(folder, path)).text())
    elsewhere.push(...outer.filter((one) => !isScoped(one)).map(({ selectors }) => `${path}: ${selectors.join(', ')}`))
  }
  expect(elsewhere).toEqual([])
})

test('the rules that begin with a class are nested below it', async () => {
  const repeated: string[] = []
  for (const path of new Bun.Glob('**/*.css').scanSync({ cwd: folder })) {
    const heads = outerOf(await Bun.file(join(folder, path)).text()).flatMap(({ around, selectors }) => {
      const classes = new Set(selectors.map((one) => /^\.[\w-]+/.exec(one)?.[0]))
      const [head] = classes
      return classes.size === 1 && head ? [`${path}: ${around} ${head}`] : []
    })
    repeated.push(...heads.filter((one, at) => heads.indexOf(one) !== at))
  }
  expect(repeated).toEqual([])
})

test('a rule is outer below layers, queries and a scope, and counts with all of its selectors', () => {
  const css = '@layer a { :where(.p) { .q, .r:is(.s, .t) { .u { x: y } } } @media print { .v { x: y; .w {} } } }'
  expect(outerOf(css)).toEqual([
    { around: '@layer a :where(.p)', selectors: ['.q', '.r:is(.s, .t)'] },
    { around: '@layer a @media print', selectors: ['.v'] },
  ])
})

// `style/tokens.css` names the sizes that are repeated. What is left is a measure of one drawing or one table; a media query cannot read a token.
test('lengths in pixels are tokens, but for a number that only becomes less', async () => {
  let count = 0
  for (const path of new Bun.Glob('**/*.css').scanSync({ cwd: folder })) {
    if (path !== 'style/tokens.css') count += lengthsOf(await Bun.file(join(folder, path)).text())
  }
  expect(count).toBe(144)
})

test('a length in pixels counts in a declaration, not in a comment or in the head of a rule', () => {
  expect(
    lengthsOf('/* 3px */ @media (width < 639px) { .a-2px { inset: -4px 0.5px; margin: calc(100% - 16px) } }'),
  ).toBe(3)
})

function lengthsOf(css: string): number {
  const heads = /@[^{;]*|\/\*.*?\*\//gs
  return css.replaceAll(heads, '').match(/(?<![\w.#-])-?\d*\.?\d+px/g)?.length ?? 0
}

// `style/layout.css`: a rule that says no more than one of its classes is that class in the markup.
test('no sheet repeats a class of the layout, but for a number that only becomes less', async () => {
  const layouts = new Set(rulesOf(await Bun.file(join(folder, 'style/layout.css')).text()))
  let repeated = 0
  for (const path of new Bun.Glob('**/*.css').scanSync({ cwd: folder })) {
    if (path === 'style/layout.css') continue
    repeated += rulesOf(await Bun.file(join(folder, path)).text()).filter((rule) => layouts.has(rule)).length
  }
  expect([layouts.size, repeated]).toEqual([4, 8])
})

/** Declarations of the rules without rules in them, in alphabetical order. */
function rulesOf(css: string): string[] {
  const bodies = css.replaceAll(/\/\*.*?\*\//gs, '').matchAll(/\{([^{}]*)\}/g)
  return [...bodies].map(([, body = '']) =>
    body
      .split(';')
      .map((one) => one.trim())
      .toSorted()
      .join(';'),
  )
}
