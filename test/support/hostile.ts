import { expect } from 'bun:test'
import type { Answer, TestApp } from './app.ts'
import type { Fields } from './routes.ts'

/** Stands for a number too large for JSON's readers, which no value in JavaScript is written as. */
const endless = 'ENDLESS-NUMBER'

/** What no field wants, and what some fields want and others must survive. */
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

/** A body as text, whatever is in it. */
export function written(body: unknown): string {
  return JSON.stringify(body).replaceAll(`"${endless}"`, '1e999')
}

export function nested(levels: number): unknown {
  return levels === 0 ? 'x' : { deeper: nested(levels - 1) }
}

/** Where the fields of a schema are, those inside of fields too: `[['auth'], ['auth', 'basic'], …]`. */
export function fieldPaths(fields: Fields, above: string[] = []): string[][] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const path = [...above, name]
    const inside = [field, ...(field.anyOf ?? [])].flatMap(({ properties }) => fieldPaths(properties ?? {}, path))
    return [path, ...inside]
  })
}

/** A copy of a body with one value put in it. */
export function withValue(body: object, [name = '', ...rest]: string[], value: unknown): object {
  if (rest.length === 0) return { ...body, [name]: value }
  const inner: unknown = new Map(Object.entries(body)).get(name)
  return { ...body, [name]: withValue(typeof inner === 'object' && inner !== null ? inner : {}, rest, value) }
}

/** An answer to a hostile request is a good one or an error as specified; nothing of how nines is built shows in it. */
export function expectComposed(request: string, { status, body, text }: Answer) {
  const isError = body?.success === false || (body?.status === 'error' && typeof body.errorType === 'string') // of Prometheus
  if (status >= 500 || (status >= 400 && !(isError && typeof body.error === 'string'))) {
    throw new Error(`${request.slice(0, 500)} was answered ${status} ${text.slice(0, 500)}`)
  }
  if (status >= 400) expect(text).not.toMatch(/SQLITE|SELECT |INSERT |node_modules|\.ts:\d|\bat [\w.]+ \(|undefined/)
}

/** Nothing has happened that nobody foresaw. */
export function expectNoFailureLogged({ logged }: TestApp) {
  expect(logged.filter((line) => line.includes('"error"') && line.includes('request failed'))).toEqual([])
}
