const hexDigits = /^[0-9a-f]{0,6}$/i

/**
 * The name of a label as a path has it: after `U__`, `_2e_` is the character of that code (a dot), and `__` an underscore.
 * What is not escaped so is a name as it is.
 */
export function unescapedName(name: string): string {
  if (!name.startsWith('U__')) return name
  const escaped = name.slice('U__'.length)
  let unescaped = ''
  for (let at = 0; at < escaped.length; at += 1) {
    if (escaped.charAt(at) !== '_') {
      unescaped += escaped.charAt(at)
      continue
    }
    const end = escaped.indexOf('_', at + 1)
    const digits = escaped.slice(at + 1, end)
    const code = Number.parseInt(digits || '0', 16)
    if (end < 0 || !hexDigits.test(digits) || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return name
    unescaped += digits === '' ? '_' : String.fromCodePoint(code)
    at = end
  }
  return unescaped
}
