import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const marks: Record<string, string> = {
  '␊': '\n',
  '␍': '\r',
  '␉': '\t',
  '␋': '\v',
  '␌': '\f',
  '␀': '\u0000',
  '␠': ' ',
  '⍽': '\u00a0',
  '␤': '\u2028',
  '␟': '\ufeff',
}

/** Table of cases, separated by ` ¦ ` or a line break; a case that ends in `␄` gets no `end`. */
function table(name: string, end: string): string[] {
  return readFileSync(join(import.meta.dir, 'corpus', `${name}.txt`), 'utf8')
    .trim()
    .split(/ ¦ |\n/)
    .map((one) => (one.endsWith('␄') ? one.slice(0, -1) : one + end))
    .map((one) => one.replace(/[␊␍␉␋␌␀␠⍽␤␟]/g, (mark) => marks[mark] ?? mark))
}

const cases = (format: string, end: string) => [
  ...table(format, end),
  ...table('numbers', end).map((number) => `a ${number}`),
]

/** Hand-picked cases; `NOW` is replaced by the current Unix seconds. */
export const textCases = cases('text', '\n')
export const openMetricsCases = cases('openmetrics', '\n# EOF\n')

/** In Latin-1: mostly invalid UTF-8. */
export const textBytes = [
  'a{l="\xff"} 1\n',
  'a{l="\xc3\xa9"} 1\n',
  'a{l="\xed\xa0\x80"} 1\n',
  'a{l="\xc0\x80"} 1\n',
  '# g\xfcnther\na 1\n',
  '#\xff',
  '# HELP a g\xfcnther\na 1\n',
  '# TYPE a \xff\na 1\n',
  'a\xff 1\n',
  'a 1\xff\n',
  '\xef\xbb\xbfa 1\n',
]

export const openMetricsBytes = [
  '# HELP a \xff\n# EOF\n',
  '# UNIT a \xff\n# EOF\n',
  'a{l="\xff"} 1\n# EOF\n',
  'a 1 # {l="\xff"} 1\n# EOF\n',
  'a{l="\xc3\xa9"} 1\n# EOF\n',
]
