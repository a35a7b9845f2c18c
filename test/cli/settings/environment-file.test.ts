import { describe, expect, test } from 'bun:test'
import { EnvironmentFileError, parseEnvironmentFile } from '../../../src/cli/settings/environment-file.ts'

const valuesOf = (text: string) =>
  Object.fromEntries(parseEnvironmentFile(text).map(({ name, value }) => [name, value]))

describe('a file of settings', () => {
  // Each as `systemd-run -p EnvironmentFile=…` reads it.
  test.each([
    ['A=1\nB=two words \n', { A: '1', B: 'two words' }],
    ['# one\n ; two\n\n\tA=1', { A: '1' }],
    ['A=x # y', { A: 'x # y' }],
    ['A=', { A: '' }],
    ['A="x y  "\nB=\'a"b\'', { A: 'x y  ', B: 'a"b' }],
    ['A="a \\" \\\\ \\$ \\n"', { A: 'a " \\ $ \\n' }],
    ["A='a \\ b'", { A: 'a \\ b' }],
    ['A="X-Scope-OrgID: a\nX-Other: b"\nB=1', { A: 'X-Scope-OrgID: a\nX-Other: b', B: '1' }],
    ['A=one \\\ntwo\nB=1', { A: 'one two', B: '1' }],
    ['A={job="shop"}, {__name__=~"slo_.*"}', { A: '{job="shop"}, {__name__=~"slo_.*"}' }],
    ['A="b"c', { A: 'bc' }],
    ['\uFEFFA=1\r\nB=2\r\n', { A: '1', B: '2' }],
    ['A=1\nA=2', { A: '2' }],
    ['A=http://x/?a=b', { A: 'http://x/?a=b' }],
  ])('%j', (text, expected) => {
    expect(valuesOf(text)).toEqual(expected)
  })

  test('has line numbers, also after values that span lines', () => {
    const lines = parseEnvironmentFile('# c\nA="x\ny"\n\nB=1\\\n2\nC=3').map(({ name, line }) => [name, line])
    expect(lines).toEqual([
      ['A', 2],
      ['B', 5],
      ['C', 7],
    ])
  })

  test.each([
    ['A=1\nsecret words', 'line 2: must be NAME=value, or a comment that begins with #'],
    ['export A=secret', 'line 1: must be NAME=value, or a comment that begins with #'],
    ['1A=secret', 'line 1: must be NAME=value, or a comment that begins with #'],
    ['\nA="secret', 'line 2: the quote " is not closed'],
  ])('%j is refused, and nothing of it repeated', (text, message) => {
    expect(() => parseEnvironmentFile(text)).toThrow(new EnvironmentFileError(message))
  })
})
