import { expect } from 'bun:test'
import type { Answer, TestApp } from './app.ts'
import type { Fields } from './routes.ts'

/** Placeholder for a number too large for JSON parsers, which JSON.stringify cannot write. */
const endless = 'ENDLESS-NUMBER'

/** Values that no field accepts, and values that some fields accept and others must survive. */
export const hostileValues: unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  2 ** 53 + 2,
  endless,
  '',
  '   ',
  'x',
  '5',
  'NaN',
  'Infinity',
  'null',
  '\u0000',
  'a\u0000b',
  'line\r\nbreak: x',
  '😀'.repeat(30),
  '\ud800 alone',
  '\u202egnp.exe',
  '\u200b\ufeff',
  'Ａｄａ@example.com',
  'x'.repeat(50_000),
  '../../etc/passwd',
  "' OR 1=1; DROP TABLE users; --",
  '{{constructor}} ${7*7} %s%n <script>alert(1)</script>',
  [],
  [null],
  [['x']],
  Array.from({ length: 1000 }, () => 'x'),
  {},
  { length: 1e9 },
  { toString: 'x', valueOf: 1 },
  { $gt: '' },
  nested(60),
]

/** Serializes a body; `endless` becomes 1e999. */
export function written(body: unknown): string {
  return JSON.stringify(body).replaceAll(`"${endless}"`, '1e999')
}

export function nested(levels: number): unknown {
  return levels === 0 ? 'x' : { deeper: nested(levels - 1) }
}

/** Paths of all fields of a schema, nested ones included: `[['auth'], ['auth', 'basic'], …]`. */
export function fieldPaths(fields: Fields, above: string[] = []): string[][] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const path = [...above, name]
    const inside = [field, ...(field.anyOf ?? [])].flatMap(({ properties }) => fieldPaths(properties ?? {}, path))
    return [path, ...inside]
  })
}

/** Copy of a body with one value replaced. */
export function withValue(body: object, [name = '', ...rest]: string[], value: unknown): object {
  if (rest.length === 0) return { ...body, [name]: value }
  const inner: unknown = new Map(Object.entries(body)).get(name)
  return { ...body, [name]: withValue(typeof inner === 'object' && inner !== null ? inner : {}, rest, value) }
}

/**
 * Throws unless the answer to a hostile request is a success or a documented error that reveals nothing of the implementation.
 */
export function expectComposed(request: string, { status, body, text }: Answer) {
  // the second is Prometheus' error format
  const isError = body?.success === false || (body?.status === 'error' && typeof body.errorType === 'string')
  if (status >= 500 || (status >= 400 && !(isError && typeof body.error === 'string'))) {
    throw new Error(`${request.slice(0, 500)} was answered ${status} ${text.slice(0, 500)}`)
  }
  if (status >= 400) expect(text).not.toMatch(/SQLITE|SELECT |INSERT |node_modules|\.ts:\d|\bat [\w.]+ \(|undefined/)
}

/** Fails if any request ended with an unexpected error. */
export function expectNoFailureLogged({ logged }: TestApp) {
  expect(logged.filter((line) => line.includes('"error"') && line.includes('request failed'))).toEqual([])
}
