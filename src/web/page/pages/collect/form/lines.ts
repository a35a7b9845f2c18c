import { FieldProblem } from '../../../ui/form/assign-problems.ts'

/** Names and values, one a line: `rack=b` with `=`, `X-Tenant: a` with `:`. */
export function linesOf(values: Record<string, string>, separator: '=' | ':'): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}${separator === ':' ? ': ' : '='}${value}`)
    .join('\n')
}

/** The reverse of `linesOf`. Throws a `FieldProblem` for a line without the separator, and for a repeated name. */
export function readLines(text: string, separator: '=' | ':', field: string): Record<string, string> {
  const values = new Map<string, string>()
  for (const [at, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const position = line.indexOf(separator)
    const name = line.slice(0, position).trim()
    if (position < 1 || name === '')
      throw new FieldProblem(field, `line ${at + 1} must be a name, ${separator} and a value`)
    if (values.has(name)) throw new FieldProblem(field, `line ${at + 1} has ${name} again`)
    values.set(name, line.slice(position + 1).trim())
  }
  return Object.fromEntries(values)
}

/** Number in a field; throws a `FieldProblem` if it is not one. */
export function readNumber(text: string, field: string): number {
  const number = Number(text.replace(',', '.'))
  if (text.trim() === '' || !Number.isFinite(number)) throw new FieldProblem(field, 'must be a number')
  return number
}
