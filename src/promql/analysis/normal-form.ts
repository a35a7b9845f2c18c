import { createHash } from 'node:crypto'
import { memoizeByText } from '../memoize-text.ts'
import { readTemplate } from './placeholders.ts'

/** Expression without comments and needless white space; strings stay as written. If it cannot be read, it is only trimmed. */
export function normalForm(expression: string): string {
  const { problem, quoted } = readTemplate(expression)
  if (problem) return expression.trim()
  let normal = ''
  let code = ''
  let at = 0
  for (const { from, to } of quoted) {
    code += expression.slice(at, from)
    const text = expression.slice(from, to)
    at = to
    if (text.startsWith('#'))
      code += ' ' // a comment; the others are strings
    else {
      normal += squeezed(code) + text
      code = ''
    }
  }
  return normal + squeezed(code + expression.slice(at))
}

function squeezed(code: string): string {
  return code.replace(/\s+/g, ' ').replace(/(?<!\w) | (?!\w)/g, '')
}

/** SHA-256 of the normal form, in hex: equal for expressions that differ only in white space and comments. */
export const expressionHash = memoizeByText((expression): string =>
  createHash('sha256').update(normalForm(expression)).digest('hex'),
)
