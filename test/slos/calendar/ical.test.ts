import { describe, expect, test } from 'bun:test'
import { foldedLines, escapeText, foldLine, timeZoneLines, utcTime } from '../../../src/slos/calendar/ical.ts'

describe('a line', () => {
  test.each([
    ['a'.repeat(75), ['a'.repeat(75)]],
    ['a'.repeat(76), ['a'.repeat(75), ' a']],
    ['a'.repeat(150), ['a'.repeat(75), ` ${'a'.repeat(74)}`, ' a']],
    [`${'a'.repeat(74)}é`, ['a'.repeat(74), ' é']],
    [`${'a'.repeat(73)}é`, [`${'a'.repeat(73)}é`]],
    [`${'a'.repeat(72)}😀`, ['a'.repeat(72), ' 😀']],
    ['', ['']],
  ])('%p is folded at 75 octets, between characters', (line, folded) => {
    expect(foldLine(line).split('\r\n')).toEqual(folded)
  })

  test('of any text unfolds to itself, and none of its parts is longer than 75 octets', () => {
    for (let length = 0; length < 400; length += 1) {
      const line = Array.from({ length }, (_, at) => 'aé€😀 '[(at * at) % 5])
        .join('')
        .toWellFormed()
      const folded = foldLine(line)
      expect(folded.replaceAll('\r\n ', '')).toBe(line)
      expect(Math.max(...folded.split('\r\n').map((part) => Buffer.byteLength(part)))).toBeLessThanOrEqual(75)
    }
  })
})

test.each([
  [String.raw`a\b;c,d:e"f`, String.raw`a\\b\;c\,d:e"f`],
  ['a\nb\r\nc\rd', String.raw`a\nb\nc\nd`],
  [String.raw`\n`, String.raw`\\n`],
  ['a\u0000\u0007\u001b\u007f\u0085b\tc', 'ab\tc'],
  ['\ud800 é', '\ufffd é'],
])('the text %j is escaped as %j', (text, escaped) => {
  expect(escapeText(text)).toBe(escaped)
})

test('each line ends in CRLF, and a time is written in UTC', () => {
  expect(foldedLines(['BEGIN:VCALENDAR', 'END:VCALENDAR'])).toBe('BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n')
  expect(utcTime(Date.parse('2026-11-29T02:00:30Z') / 1000)).toBe('20261129T020030Z')
})

describe('the definition of a zone', () => {
  const linesOf = (zone: string) =>
    timeZoneLines(zone, Date.parse('2026-11-01T00:00:00Z') / 1000, Date.parse('2027-12-31T00:00:00Z') / 1000)

  test('has its offset of the first moment, and each change until the last', () => {
    expect(linesOf('Pacific/Chatham').filter((line) => !/^(?:BEGIN|END)/.test(line))).toEqual([
      'TZID:Pacific/Chatham',
      'DTSTART:20260927T024500',
      'TZOFFSETFROM:+1245',
      'TZOFFSETTO:+1345',
      'DTSTART:20270404T034500',
      'TZOFFSETFROM:+1345',
      'TZOFFSETTO:+1245',
      'DTSTART:20270926T024500',
      'TZOFFSETFROM:+1245',
      'TZOFFSETTO:+1345',
    ])
  })

  test.each([
    ['Etc/GMT+3', '19700101T000000', '-0300'],
    ['Asia/Kolkata', '19451015T000000', '+0530'],
  ])('of %s, whose clock does not change, has one offset', (zone, begin, offset) => {
    const observances = linesOf(zone).filter((line) => line.startsWith('DTSTART') || line.startsWith('TZOFFSETTO'))
    expect(observances).toEqual([`DTSTART:${begin}`, `TZOFFSETTO:${offset}`])
  })
})
