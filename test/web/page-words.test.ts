import { expect, test } from 'bun:test'
import { join } from 'node:path'

const folder = join(import.meta.dir, '../../src/web/page')

/** Choices between two texts by a count: `n === 1 ? 'SLO' : 'SLOs'`, `SLO${n === 1 ? '' : 's'}`. */
function pluralsIn(source: string): string[] {
  return [...source.matchAll(/(?:[!=]== 1|> 1) \? (?:'' : 's'|'s' : ''|(['`])[^'`\n]+\1 : ['`](?!['`]))/g)].map(
    ([text]) => text,
  )
}

const classes = /class(?:Name)?=(?:"[^"\n]*"|\{[^\n]*\})/g

/** Texts that are chosen and go on with a sentence, since they begin with a space or a mark: `by !== null && ` by ${by}``. */
function fragmentsIn(source: string): string[] {
  const texts = source.replaceAll(classes, '')
  const chosen = /(?:\?|:|&&|\|\||\?\?)\s+['`][,;:.]? [(\w$](?!\{\w+\}`)[^\n]*/g
  return [...texts.matchAll(chosen)].map(([text]) => text)
}

/** Choices of words within a text: `${isRough ? 'about ' : ''}${cost}`, `it ${isFast ? 'is gone in' : 'lasts'} ${time}`. */
function choicesIn(source: string): string[] {
  const choice = /(.?)\$\{[^{}\n]* \? '([^'\n]*)' : '([^'\n]*)'\}(.?)/g
  return [...source.replaceAll(classes, '').matchAll(choice)].flatMap(
    ([text, before, one = '', other = '', behind]) => {
      const touchesSpace = [before, behind, one.at(0), one.at(-1), other.at(0), other.at(-1)].includes(' ')
      return touchesSpace && /\p{L}{2}/u.test(`${one} ${other}`) ? [text] : []
    },
  )
}

const jsx = { jsx: 'react', jsxFactory: 'h', jsxFragmentFactory: 'Fragment' } as const
const transpiler = new Bun.Transpiler({ loader: 'tsx', tsconfig: { compilerOptions: jsx } })
const hole = /\$\{(?:[^{}`]|`[^`]*`|\{[^{}]*\})*\}/.source
const string = /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'/.source
const template = `\`(?:\\\\.|${hole}|[^\`\\\\])*\``
const pattern = /(?<=[(,=:?!&|]\s*)\/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n])+\//.source
const token = new RegExp(
  `${string}|${template}|${pattern}|(?<![\\w.$])h\\(|[([{]|[)\\]}]|,|[^"'\`,()[\\]{}h/]+|.`,
  'gs',
)

const isText = (child = '') => /^(["'])(?:\\.|(?!\1).)*\1$/s.test(child)
const isValue = (child = '') => child !== '' && !isText(child) && !/(?<![\w.$])h\((?!Time\b)/.test(child)

/** Children of each element of a view, with adjacent texts as one. */
function childrenIn(source: string): string[][] {
  const elements: string[][] = []
  const open = [{ begin: '', args: [''] }]
  for (const [part] of transpiler.transformSync(source).matchAll(token)) {
    const { begin, args } = open.at(-1) ?? { begin: '', args: [''] }
    if (/^(?:h\(|[([{])$/.test(part)) open.push({ begin: part, args: [''] })
    else if (part === ',') args.push('')
    else if (/^[)\]}]$/.test(part)) {
      open.pop()
      if (begin === 'h(') elements.push(args.slice(2).map((arg) => arg.trim()))
      const outer = open.at(-1)?.args ?? ['']
      outer.push(outer.pop() + begin + args.join(',') + part)
    } else args.push(args.pop() + part)
  }
  if (open.length !== 1) throw new Error('the brackets of the calls do not match')
  return elements.map((children) =>
    children.reduce<string[]>((all, child) => {
      const isJoined = isText(child) && isText(all.at(-1))
      all.push(isJoined ? `${all.pop()?.slice(0, -1)}${child.slice(1)}` : child)
      return all
    }, []),
  )
}

/** Texts beside a value, or that go on with a sentence behind an element: `All {count}`, `<b>{count}</b> selected`. */
function gluedIn(source: string): string[] {
  return childrenIn(source).flatMap((children) =>
    children.filter((text, at) => {
      const [before, behind] = [children[at - 1], children[at + 1]]
      const goesOn = before !== undefined && /^.[,;:.)]? ?[a-z(].*\p{L}{2}/u.test(text)
      return isText(text) && /\p{L}{2}/u.test(text) && (goesOn || isValue(before) || isValue(behind))
    }),
  )
}

/** Template strings that put a value into words: `Delete ${name}`. Keys, classes, styles and drawings are none. */
function filledIn(source: string): string[] {
  const templates = transpiler
    .transformSync(source)
    .matchAll(new RegExp(`(?<!\\b(?:key|class|style|d): [^,\\n]*)${template}`, 'g'))
  return [...templates].flatMap(([text]) => {
    const words = text.replaceAll(new RegExp(hole, 'g'), '\0')
    return words.includes('\0') && /\p{L}{2}\p{P}* |[ (]\p{L}{2}/u.test(words) ? [text] : []
  })
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

// Another language has another order of the parts: each variant of a text is one template with its values.
test('no text is put together from parts that are chosen', async () => {
  const found = (await sources('**/*.{ts,tsx}')).map(
    ([path, text]) => [path, [...fragmentsIn(text), ...choicesIn(text)]] as const,
  )
  const parts = found.filter(([, texts]) => texts.length > 0)
  expect(parts, 'choose between whole texts').toEqual([])
})

// A text with a value is a function in the `words.ts` of its folder.
test('a view puts no text together from parts, and none with a value', async () => {
  const found = (await sources('**/*.tsx')).map(
    ([path, text]) => [path, [...gluedIn(text), ...filledIn(text)]] as const,
  )
  const parts = found.filter(([, texts]) => texts.length > 0)
  expect(parts, 'make the whole text in a function of the `words.ts` of the folder').toEqual([])
})

test('what these look for is found', () => {
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
  const choices = [
    "`${isBurning ? 'Burning ' : ''}${rate}`",
    "`It ${isFast ? 'is gone in' : 'lasts'} ${time}`",
    "`${verb(n)} a ${isNew ? 'new' : 'known'}.`",
  ]
  expect(choices.map((text) => choicesIn(text).length)).toEqual([1, 1, 1])
  expect(choicesIn("`${isSafe ? 'https' : 'http'}://${host} ${at > 0 ? ', ' : ''}`")).toEqual([])
  const glued = [
    '<p>Page {page} of {pages}</p>',
    '<p><b>{count}</b> selected</p>',
    '<p>{name}, which is old.</p>',
    '<p>All {count}</p>',
    "<p>Closed{' '}{isShort ? 'today' : ago}</p>",
    '<p>Next at <Time ms={at} /></p>',
    '<p>{before}No SLO reads it.</p>',
  ]
  expect(glued.map((text) => gluedIn(`export const view = ${text}`).length)).toEqual([2, 1, 1, 1, 1, 1, 1])
  const whole = "<p>{named(name)} <b>Saved.</b> Nothing else changes. <a href={link('/')}>{showAll(n)}</a></p>"
  expect(gluedIn(`export const view = ${whole}`)).toEqual([])
  const filled = [
    '<a title={`Delete ${name}`} />',
    '<p>{isNew ? `${name} is new` : ``}</p>',
    '<p>{`(${count} found)`}</p>',
  ]
  expect(filled.map((text) => filledIn(`export const view = ${text}`).length)).toEqual([1, 1, 1])
  const none = '<li key={`tier ${at}`} class={`tier ${tone}`} id={`${id}-tier`} title={`${name}: ${at}`} />'
  expect(filledIn(`export const view = ${none}`)).toEqual([])
})
