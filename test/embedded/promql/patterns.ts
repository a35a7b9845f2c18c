const { raw } = String

/** Texts with an RE2 pattern that must match them fully. JavaScript interprets most of the patterns differently. */
const matches: [text: string, pattern: string][] = [
  ['Ab', raw`(?i)aB`],
  ['Ab', raw`a(?i)B`],
  ['ab', raw`a(?i:B)`],
  [raw`a\nb`, raw`a.b`],
  [raw`a\nb`, raw`(?s)a.b`],
  [raw`a\nb`, raw`(?m)a$\nb`],
  [raw`a\n`, raw`a$`],
  [raw`a\n`, raw`a\z\n`],
  ['ab', raw`\Aab\z`],
  ['żółw', raw`\pL+`],
  ['żółw', raw`\w+`],
  ['żółw', raw`....`],
  ['λ', raw`\p{Greek}`],
  ['λ', raw`\P{Greek}`],
  ['😀', raw`.`],
  ['ſ', raw`(?i)S`],
  ['K', raw`(?i)k`],
  ['ab1', raw`[[:alpha:]]+[[:^alpha:]]`],
  [']', raw`[]a]`],
  ['a.b', raw`\Qa.b\E`],
  ['axb', raw`\Qa.b\E`],
  ['a.b', raw`a\.b|c`],
  ['c', raw`(a\.b|c)`],
  ['', raw`a|`],
  ['a', raw`(|a)*`],
  ['aaaa', raw`(a+)+`],
  ['a|b', raw`a\|b`],
  [raw`a\\`, raw`a\\|b`],
  ['\u00a0', raw`\s`],
  ['ab', raw`a\x62`],
  ['λ', raw`\x{3bb}`],
  ['a{,2}', raw`a{,2}`],
  ['aa', raw`(a)\1`],
  ['ab', raw`(?=a)ab`],
]

/** Text, pattern and template of `label_replace`. */
const replacements: [text: string, pattern: string, template: string][] = [
  ['ab', raw`(?P<n>a)(?P<m>.)`, '${m}${n}$m$n'],
  ['ab', raw`(?P<n>a)(.)`, '$2$n$nn${nn}'],
  ['abcdefghijk', raw`(.)`.repeat(11), '$10-$1-${1}0-$11$12-$0'],
  ['ab', raw`(a)(b)`, '${1}x$1x'],
  ['ab', raw`(a)(b)`, '$$1-$$$2-$'],
  ['ab', raw`(a)(b)`, '$01-${02}-$1é-$1-'],
  ['ab', raw`(a)(b)`, '${1-${}-${ 1}-$-'],
  ['aab', raw`(a*?)(a*)b`, '<$1><$2>'],
  ['aab', raw`(?U)(a*)(a*)b`, '<$1><$2>'],
  ['aab', raw`(a|aa)(a?b?)`, '<$1><$2>'],
  ['b', raw`(a)?b`, '<$1>'],
  ['ab', raw`(?P<é>a)b|(?P<constructor>c)`, '${é}$constructor$toString'],
  ['aXbXc', raw`(?i)(.*)x(.*)`, '<$1><$2>'],
  ['żółw', raw`(\pL)(.*?)(\pL)`, '$3$2$1'],
]

const quoted = (text: string) => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
const labelled = (text: string) => `label_replace(vector(1), "text", "${text}", "", "")`

const matchers = [
  'up{instance=~"a:80|b:80"}',
  'up{instance=~"(a:80|c:81)"}',
  'up{instance!~"(a:80)|(c:81)"}',
  raw`up{instance=~"a\\:80|b\\.80"}`,
  'up{job!~"api|", instance=~".+"}',
  'up{job=~"(?i)API|cron"}',
  'requests_total{code=~"[24]0\\\\d|[[:alpha:]]"}',
]

/** Queries that return RE2's results for the lists above. */
export const withPatterns = [
  ...matchers,
  ...matches.map(([text, pattern]) => `label_replace(${labelled(text)}, "fits", "<$0>", "text", ${quoted(pattern)})`),
  ...replacements.map(
    ([text, pattern, template]) =>
      `label_replace(${labelled(text)}, "made", ${quoted(template)}, "text", ${quoted(pattern)})`,
  ),
]
