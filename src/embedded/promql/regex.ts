import { leftOut, unreadable } from './errors.ts'

const digits = '0-9'
const word = '0-9A-Za-z_'
const space = '\\t\\n\\f\\r '
const classes = new Map([
  ['d', digits],
  ['w', word],
  ['s', space],
])
const sameEscapes = 'nrtfvbBx'
const syntax = '^$\\.*+?()[]{}|/'

/**
 * The pattern of Prometheus (RE2, anchored at both ends) as one of JavaScript that matches the same. Throws where the two
 * languages differ, and where matching could take time without bound, which it never does in RE2.
 */
export function anchored(pattern: string): RegExp {
  refuseSlow(pattern)
  const { source, flags } = inJavaScript(pattern)
  return new RegExp(`^(?:${source})$`, flags)
}

/** A pattern of RE2 in JavaScript's words; throws where the two differ. What takes too long JavaScript must not be given. */
export function inJavaScript(pattern: string): { source: string; flags: 'u' | 'iu' } {
  const ignoresCase = pattern.startsWith('(?i)')
  const translated = { source: translate(ignoresCase ? pattern.slice(4) : pattern), flags: ignoresCase ? 'iu' : 'u' } as const
  try {
    void new RegExp(translated.source, translated.flags)
    return translated
  } catch (error) {
    if (error instanceof SyntaxError) throw unreadable(`regular expression “${pattern}”: ${error.message}`)
    throw error
  }
}

function translate(pattern: string): string {
  let [out, inClass] = ['', false]
  for (let at = 0; at < pattern.length; at += 1) {
    const char = pattern.charAt(at)
    if (char === '\\') {
      at += 1
      out += escaped(pattern, at, inClass)
    } else if (inClass) {
      if (char === '[' && pattern[at + 1] === ':') throw differs(pattern, '[:class:]')
      inClass = char !== ']'
      out += char
    } else if (char === '[') {
      if (/^\[\^?\]/.test(pattern.slice(at))) throw differs(pattern, '“]” first in a class')
      inClass = true
      out += char
    } else if (pattern.startsWith('(?P<', at)) {
      out += '(?<'
      at += 3
    } else if (pattern.startsWith('(?', at) && !/^\(\?(:|<[a-zA-Z_])/.test(pattern.slice(at))) {
      throw differs(pattern, pattern.slice(at, at + 4))
    } else out += char === '.' ? '[^\\n]' : char
  }
  return out
}

function escaped(pattern: string, at: number, inClass: boolean): string {
  const char = pattern.charAt(at)
  const set = classes.get(char)
  if (set !== undefined) return inClass ? set : `[${set}]`
  const not = classes.get(char.toLowerCase())
  if (not !== undefined && !inClass) return `[^${not}]`
  if (char === 'A' && !inClass) return '^'
  if (char === 'z' && !inClass) return '$'
  const isHex = char !== 'x' || /^x[0-9a-fA-F]{2}/.test(pattern.slice(at))
  if (sameEscapes.includes(char) && isHex && !(inClass && /b/i.test(char))) return `\\${char}`
  if (char === '' || /[a-zA-Z0-9]|[^\0-\x7f]/u.test(char)) throw differs(pattern, `\\${char}`)
  return syntax.includes(char) || (inClass && char === '-') ? `\\${char}` : char
}

/** A repeat of a group that itself repeats or chooses is what makes JavaScript try without end. */
function refuseSlow(pattern: string) {
  const plain = pattern.replaceAll(/\\./gs, '_').replaceAll(/\[\^?[^\]]*\]/g, '_')
  const open: boolean[] = []
  for (let at = 0; at < plain.length; at += 1) {
    const char = plain.charAt(at)
    const isOpening = plain[at - 1] === '('
    if (char === '(') open.push(false)
    else if ('*+{|?'.includes(char) && !isOpening) open.fill(true)
    else if (char === ')' && open.pop() === true && /^[*+{]/.test(plain.slice(at + 1)))
      throw differs(pattern, 'a repeat of a group that repeats or chooses')
  }
}

const differs = (pattern: string, what: string) => leftOut(`${what} in the regular expression “${pattern}”`)

/** What `label_replace` puts in place of a match: `$1`, `${name}` and `$$` as Go expands them. */
export function expand(template: string, match: RegExpExecArray): string {
  return template.replaceAll(
    /\$(?:\$|([\p{L}\p{Nd}_]+)|\{([\p{L}\p{Nd}_]+)\})/gu,
    (all, bare?: string, braced?: string) => {
      if (all === '$$') return '$'
      const name = bare ?? braced ?? ''
      return (/^\d+$/.test(name) ? match[Number(name)] : match.groups?.[name]) ?? ''
    },
  )
}
