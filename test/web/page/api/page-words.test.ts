import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { Glob } from 'bun'
import { inPageWords } from '../../../../src/web/page/api/page-words.ts'

test.each([
  [
    'Set a bound, as with threshold: 0.3 and threshold_op: lte, and the SLI is the share of time in which it holds.',
    'Set a bound such as “at most 0.3”, and the SLI is the share of time in which it holds.',
  ],
  ['Either set a bound, with threshold: 0.3 and threshold_op: lte (or', 'Either set a bound such as “at most 0.3” (or'],
  ['If it is a percentage, set query_unit to percent.', 'If it is a percentage, read it as one.'],
  ['If it does, send it as good_query.', 'If it does, count them as good.'],
  ['it looks as if bad_query counts what succeeds.', 'it looks as if the bad events are what succeeds.'],
  ['needs good_query or bad_query', 'needs the good events or the bad events'],
  ['bad_query is not used beside good_query.', 'the bad events are not used beside the good events.'],
  [
    'A lower target or a longer time_window makes a budget of several events.',
    'A lower target or a longer window makes a budget of several events.',
  ],
  [
    'The budget of 12 events in 30d is less than one failure',
    'The budget of 12 events in 30\u2009d is less than one failure',
  ],
  ['longer than that of the SLO, 7d', 'longer than that of the SLO, 7\u2009d'],
  [
    'Confirm your own address first: POST /auth/confirm-email/resend mails the link again.',
    'Confirm your own address first: the settings of your account mail the link again.',
  ],
  ['Or divide by sum(rate(x[5m])).', 'Or divide by sum(rate(x[5m])).'],
  ['No series of http_requests_total has code="5".', 'No series of http_requests_total has code="5".'],
])('%p is %p on the page', (text, shown) => {
  expect(inPageWords(text)).toBe(shown)
})

test('advice on the encryption of a mail server names the field of the page', async () => {
  const advice = await Bun.file(join(import.meta.dir, '../../../../src/notifications/channels/email/outcome.ts')).text()
  const texts = [...advice.matchAll(/'(\. [^']*smtp_security[^']*)'/g)].map(([, text = '']) => text)
  expect(texts).toHaveLength(3)
  for (const text of texts) expect(inPageWords(text)).not.toMatch(/smtp_|starttls|\btls\b|\bnone\b/)
})

const src = join(import.meta.dir, '../../../../src')
/** Files whose texts about an SLO the page shows; problem-codes.ts is for the reference. */
const files = [
  ...[...new Glob('preview/*.ts').scanSync(src)].filter((file) => !/model|routes|problem-codes/.test(file)),
  'sli/plan/notes.ts',
  'slos/definition.ts',
  'slos/alerting/alerting.ts',
  'slos/arithmetic/tiers.ts',
]

test.each(files)('no sentence of %s has the name of an API field on the page', async (file) => {
  const source = await Bun.file(join(src, file)).text()
  const literals = source.replaceAll(/\/\*.*?\*\//gs, '').match(/'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g) ?? []
  const sentences = literals.map((text) => text.replaceAll(/\$\{[^}]*\}/g, 'X')).filter((text) => text.includes(' '))
  const named = sentences.map(inPageWords).filter((text) => /\b[a-z]+_[a-z_]+\b(?![[{(])(?<!_over_time)/.test(text))
  expect(named).toEqual([])
})
