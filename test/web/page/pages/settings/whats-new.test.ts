import { expect, test } from 'bun:test'
import { newsSentence, shownReleases } from '../../../../../src/web/page/pages/settings/system/words.ts'

const releases = (...areNew: boolean[]) => areNew.map((is_new, at) => ({ version: String(at), is_new }))

test.each([
  ['every new version is shown, those before are folded', [true, true, false], 2],
  ['without a new version, the newest is shown', [false, false, false], 1],
  ['with nothing but new ones, none is folded', [true, true], 2],
  ['without any there is none', [], 0],
] as const)('%s', (_, areNew, count) => {
  const all = releases(...areNew)
  expect(shownReleases(all)).toEqual({ shown: all.slice(0, count), earlier: all.slice(count) })
})

test('the sentence names the version, and the one before an upgrade', () => {
  expect(newsSentence({ version: '0.2.0', upgraded_from: null })).toBe('This is nines 0.2.0.')
  expect(newsSentence({ version: '0.2.0', upgraded_from: '0.1.0' })).toBe(
    'This is nines 0.2.0. Before the upgrade it was 0.1.0.',
  )
})
