import { expect, test } from 'bun:test'
import { join } from 'node:path'

const folder = join(import.meta.dir, '../../src/web/page')
/** Sheets that `web/build-page` makes. */
const entries: ReadonlySet<string> = new Set(['style/page.css', 'style/later.css'])
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
  const found = shared.map(([name, files]) => `${name}: ${[...files].toSorted().join(', ')}`)
  expect(found, 'nest the rule below the class of its page, or give the class another name').toEqual([])
})

test('each style sheet is imported by another one, or by the code that is loaded with it', async () => {
  const imported = new Set<string>()
  for (const path of new Bun.Glob('**/*.{css,ts,tsx}').scanSync({ cwd: folder })) {
    const source = await Bun.file(join(folder, path)).text()
    for (const [, named = ''] of source.matchAll(/['"](\.{1,2}\/[^'"]+\.css)['"]/g)) {
      imported.add(join(folder, path, '..', named))
    }
  }
  const sheets = [...new Bun.Glob('**/*.css').scanSync({ cwd: folder })].toSorted()
  const unused = sheets.filter((path) => !imported.has(join(folder, path)) && !entries.has(path))
  expect(unused, 'import it in style/later.css; in style/page.css only what the first page needs').toEqual([])
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
  expect(elsewhere, 'nest it in `.NAME { … }`, with the name of the folder: the class that its `Page` has').toEqual([])
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
  expect(repeated, 'move these rules into the one that begins with the class').toEqual([])
})

test('a rule is outer below layers, queries and a scope, and counts with all of its selectors', () => {
  const css = '@layer a { :where(.p) { .q, .r:is(.s, .t) { .u { x: y } } } @media print { .v { x: y; .w {} } } }'
  expect(outerOf(css)).toEqual([
    { around: '@layer a :where(.p)', selectors: ['.q', '.r:is(.s, .t)'] },
    { around: '@layer a @media print', selectors: ['.v'] },
  ])
})

/** Lengths that are no tokens, by what they measure: `style/tokens.css` names the sizes that are repeated. */
const measures: Record<string, readonly string[]> = {
  'a width that fits what a field or a cell holds': [
    'app/palette/palette.css min-width: 22px',
    'app/palette/palette.css min-width: 64px',
    'app/shell/shell.css min-width: 48px',
    'incidents/alerts.css width: 150px',
    'pages/incidents/incidents.css max-width: 260px',
    'pages/incidents/incidents.css min-width: 120px',
    'pages/notify/notify.css width: 172px',
    'pages/slo-form/preview/preview.css width: 120px',
    'pages/slo-form/slo-form.css width: 120px',
    'pages/slo/calendar/calendar.css min-width: 104px',
    'pages/slo/calendar/calendar.css min-width: 80px',
    'pages/slo/calendar/calendar.css width: 80px',
    'pages/slo/incidents/incidents.css width: 84px',
    'what-if/what-if.css width: 88px',
  ],
  'a height that keeps the place of what comes later, or of rows that are not drawn': [
    'pages/notify/templates/templates.css min-height: 176px',
    'pages/overview/overview.css contain-intrinsic-size: auto 100px',
    'pages/overview/overview.css height: 100px',
    'pages/slo/slo.css height: calc(var(--height) - 120px)',
    'pages/slo/slo.css min-height: 132px',
    'ui/form/form.css min-height: 30px',
    'ui/form/form.css min-height: 72px',
  ],
  'the largest width or height of a page, a popover or a dialog': [
    'app/palette/palette.css max-height: min(400px, 60vh)',
    'app/palette/palette.css width: 400px',
    'app/shell/shell.css max-width: 1440px',
    'app/shell/shell.css width: min(384px, 100%)',
    'charts/charts.css max-width: 1080px',
    'charts/charts.css min-width: 900px',
    'incidents/alerts.css width: min(340px, calc(100vw - var(--space-4)))',
    'pages/collect/collect.css columns: 2 360px',
    'pages/collect/collect.css max-width: 880px',
    'pages/overview/overview.css --min: 260px',
    'pages/slo-form/slo-form.css height: min(360px, 60vh)',
    'pages/slo-form/slo-form.css width: min(400px, calc(100vw - var(--space-4)))',
    'silence/silence.css max-height: calc(100vh - 34px)',
    'silence/silence.css width: 560px',
    'ui/ui.css max-width: min(360px, calc(100vw - var(--space-4)))',
  ],
  'an indent up to the text above': [
    'pages/explore/graph/legend.css margin-left: 46px',
    'pages/incidents/incidents.css padding: 0 0 var(--space-2) 52px',
    'pages/incidents/incidents.css padding: 0 0 var(--space-4) 52px',
    'pages/notify/history/history.css padding-left: 22px',
    'pages/slo-form/suggestions/suggestions.css margin: 0 0 var(--space-2) 18px',
    'pages/slo-form/suggestions/suggestions.css padding: var(--space-1-half) 0 var(--space-1-half) 26px',
  ],
  'a size less a line': [
    'pages/overview/overview.css line-height: 35px',
    'pages/overview/overview.css padding: 11px var(--space-3)',
    'pages/slo-form/slo-form.css bottom: calc(var(--space-14) + 1px)',
  ],
  'a place for fingers around a small control': [
    'pages/overview/overview.css inset: -14px calc(-1 * var(--space-2))',
    'ui/ui.css inset: -14px calc(-1 * var(--space-2))',
  ],
  'out of sight, for screen readers and the keyboard': [
    'app/shell/shell.css top: -100px',
    'style/base.css height: 1px',
    'style/base.css margin: -1px',
    'style/base.css width: 1px',
    'ui/table.css height: 1px',
    'ui/table.css width: 1px',
  ],
  'a drawing, or letters in it': [
    'app/shell/shell.css border-radius: 10px',
    'charts/charts.css border-radius: 0 0 2px 2px',
    'charts/charts.css border-radius: 2px',
    'charts/charts.css font-size: 11px',
    'charts/charts.css left: -9px',
    'charts/charts.css width: 14px',
    'pages/incidents/incidents.css line-height: 14px',
    'pages/slo-form/slo-form.css border-radius: 16px',
    'pages/slo/slo.css background: repeating-linear-gradient(135deg, var(--line) 0 2px, transparent 2px 5px)',
    'pages/slo/slo.css font-size: 32px',
  ],
}
const ofOneDrawing =
  'A length of one drawing or table: add its line to `measures` in this file; remove lines without a length'

/** Lines, and columns of one grid, need no list. */
const ofLines =
  /^(?:border(?:-(?:top|right|bottom|left))?|outline|box-shadow|stroke-width|text-decoration-thickness|grid-template(?:-columns)?)$/

test('lengths in pixels are tokens, but for lines, columns and the measures that say of what', async () => {
  const found = new Set<string>()
  for (const path of new Bun.Glob('**/*.css').scanSync({ cwd: folder })) {
    if (path === 'style/tokens.css') continue
    for (const one of lengthsOf(await Bun.file(join(folder, path)).text())) found.add(`${path} ${one}`)
  }
  const known = Object.values(measures).flat()
  expect([...found].toSorted(), `use a token of style/tokens.css. ${ofOneDrawing}`).toEqual(known.toSorted())
})

test('a length in pixels counts in a declaration, not in a comment, in the head of a rule, or of a line', () => {
  const css =
    '/* a: 3px */ @media (width < 639px) { .a-2px { inset: -4px 0.5px; border: 1px solid; margin: calc(100% - 16px) } }'
  expect(lengthsOf(css)).toEqual(['inset: -4px 0.5px', 'margin: calc(100% - 16px)'])
})

/** Declarations with a length in pixels, but those of lines and columns. */
function lengthsOf(css: string): string[] {
  const declarations = css.replaceAll(/\/\*.*?\*\//gs, '').matchAll(/(?<=^|[;{}])\s*([\w-]+):([^;{}]*)(?=[;}])/g)
  return [...declarations].flatMap(([, property = '', value = '']) =>
    /(?<![\w.#-])-?\d*\.?\d+px/.test(value) && !ofLines.test(property)
      ? [`${property}: ${value.trim().replaceAll(/\s+/g, ' ')}`]
      : [],
  )
}

/** Widths at which a page changes; a media query cannot read a token. */
const breakpoints = [
  639, // a phone
  767, // the overview gives up burn rates
  899, // two columns become one
  1023, // the side bar has icons alone
  1100, // actions of alerts stand below each other
  1240, // actions of incidents stand below their row
  1439, // Explore has its metrics below
]

test('pages change at a few widths, the same in all sheets', async () => {
  const widths = new Set<number>()
  for (const path of new Bun.Glob('**/*.css').scanSync({ cwd: folder })) {
    const css = await Bun.file(join(folder, path)).text()
    const queries = css.match(/@media[^{]*/g)?.join() ?? ''
    for (const [, side, px] of queries.matchAll(/\((max|min)-width: (\d+)px\)/g)) {
      widths.add(side === 'max' ? Number(px) : Number(px) - 1)
    }
  }
  expect(
    [...widths].toSorted((a, b) => a - b),
    'use one of `breakpoints` in this file',
  ).toEqual(breakpoints)
})

// `style/layout.css`: a rule that says no more than one of its classes is that class in the markup.
test('no sheet repeats a class of the layout, but for a number that only becomes less', async () => {
  const layouts = new Set(rulesOf(await Bun.file(join(folder, 'style/layout.css')).text()))
  let repeated = 0
  for (const path of new Bun.Glob('**/*.css').scanSync({ cwd: folder })) {
    if (path === 'style/layout.css') continue
    repeated += rulesOf(await Bun.file(join(folder, path)).text()).filter((rule) => layouts.has(rule)).length
  }
  expect([layouts.size, repeated], 'use the classes stack, cluster, split and grid in the markup').toEqual([4, 8])
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
