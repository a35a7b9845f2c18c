import { expect, test } from 'bun:test'
import { readMarkdown } from '../../../../src/web/page/ui/markdown.ts'

const text = (of: string) => ({ kind: 'text', text: of })
const paragraph = (...parts: object[]) => [{ kind: 'paragraph', lines: [parts] }]

test('headings, paragraphs, lists, quotes and code are blocks', () => {
  const written = '# The disk\n\nIt was full,\nagain.\n- one\n- two\n\n1. first\n> said\n```\n**x**\n\ny\n```\nend'
  expect(readMarkdown(written) as object[]).toEqual([
    { kind: 'heading', level: 1, of: [text('The disk')] },
    { kind: 'paragraph', lines: [[text('It was full,')], [text('again.')]] },
    { kind: 'list', isOrdered: false, items: [[text('one')], [text('two')]] },
    { kind: 'list', isOrdered: true, items: [[text('first')]] },
    { kind: 'quote', of: paragraph(text('said')) },
    { kind: 'code', text: '**x**\n\ny' },
    { kind: 'paragraph', lines: [[text('end')]] },
  ])
})

test.each([
  ['a **b** c', [text('a '), { kind: 'strong', of: [text('b')] }, text(' c')]],
  ['_a_ and *b*', [{ kind: 'em', of: [text('a')] }, text(' and '), { kind: 'em', of: [text('b')] }]],
  ['snake_case_name and 2*3*4', [text('snake_case_name and 2*3*4')]],
  ['`<b>`', [{ kind: 'code', text: '<b>' }]],
  ['[wiki](https://e.com/a)', [{ kind: 'link', href: 'https://e.com/a', of: [text('wiki')] }]],
  [
    'see https://e.com/a.',
    [text('see '), { kind: 'link', href: 'https://e.com/a', of: [text('https://e.com/a')] }, text('.')],
  ],
])('%p is read', (written, parts) => expect(readMarkdown(written) as object[]).toEqual(paragraph(...parts)))

test.each([
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '[x](javascript:alert(1))',
  '[x](data:text/html,y)',
  '[x](//e.com)',
  '![x](y.png)',
  '&lt;b&gt;',
])('%p stays text', (written) => expect(readMarkdown(written) as object[]).toEqual(paragraph(text(written))))

test.each([
  ['['.repeat(20_000)],
  ['*'.repeat(20_000)],
  ['`'.repeat(20_000)],
  ['>'.repeat(20_000)],
  ['**a'.repeat(6000)],
  ['[a]('.repeat(5000)],
  ['_a'.repeat(10_000)],
])('a text of nothing but marks is read, at any length: %#', (written) => {
  expect(JSON.stringify(readMarkdown(written)).length).toBeGreaterThan(1)
})
