import { expect, test } from 'bun:test'
import { documentTitle } from '../../../../src/web/page/ui/title.ts'

test.each([
  ['Overview', '', 0, 'Overview · nines'],
  ['Overview', '', 2, '(2) Overview · nines'],
  ['My site', 'Down 8 min', 2, 'Down 8 min · My site · nines'],
  ['', '', 0, 'nines'],
])('the page %p of an SLO that is %p while %p fail is called %p', (title, state, failing, name) => {
  expect(documentTitle({ title, state }, failing)).toBe(name)
})
