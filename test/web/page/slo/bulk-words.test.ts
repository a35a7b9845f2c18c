import { expect, test } from 'bun:test'
import {
  deleteWords,
  notifyWords,
  pauseWords,
  restoreWords,
  resumeWords,
  targetWords,
  unchangedSentence,
} from '../../../../src/web/page/slo/bulk-words.ts'
import {
  labelAddedWords,
  labelRemovedWords,
  notChangedSentence,
  targetHint,
  teamWords,
} from '../../../../src/web/page/pages/overview/selection/words.ts'

test.each([
  [pauseWords, '1 SLO: paused.', 'Shop: not paused.', '2 of 3 not paused:'],
  [resumeWords, '1 SLO: resumed.', 'Shop: not resumed.', '2 of 3 not resumed:'],
  [deleteWords, '1 SLO: deleted.', 'Shop: not deleted.', '2 of 3 not deleted:'],
  [restoreWords, '1 SLO: restored.', 'Shop: not restored.', '2 of 3 not restored:'],
  [
    targetWords(99.95),
    '1 SLO: target 99.95 %.',
    'Shop: the target is not set to 99.95 %.',
    '2 of 3 not set to the target 99.95 %:',
  ],
  [
    notifyWords('On call'),
    '1 SLO: On call is notified.',
    'Shop: On call is not notified.',
    'On call is not notified of 2 of 3:',
  ],
])('a change of several SLOs has whole sentences: %#', (words, changed, failed, refused) => {
  expect(words.changed(1)).toBe(changed)
  expect(words.changed(1200)).toBe(changed.replace('1 SLO', '1,200 SLOs'))
  expect(words.failedOf('Shop')).toBe(failed)
  expect(words.refused(2, 3)).toBe(refused)
})

test.each([
  [labelAddedWords('tier=#1'), 'label tier=#1 added'],
  [labelRemovedWords('tier=#1'), 'label tier=#1 removed'],
  [teamWords('Web #2'), 'given to Web #2'],
])('the undo of a change of labels or team says so: %#', (words, change) => {
  expect(words.done(1)).toBe(`1 SLO: ${change}.`)
  expect(words.done(2)).toBe(`2 SLOs: ${change}.`)
  expect(words.undone(2)).toBe(`2 SLOs: ${change}, undone.`)
})

test('SLOs that a change leaves as they were, or that refuse it, are counted', () => {
  expect([1, 2].map(unchangedSentence)).toEqual(['1 SLO had it before.', '2 SLOs had it before.'])
  expect([1, 2].map(notChangedSentence)).toEqual(['1 SLO not changed.', '2 SLOs not changed.'])
})

test('the hint of a target lists the present ones, of more than four the lowest and the highest', () => {
  const counts = 'Another target counts at once, for the past too.'
  expect(targetHint([95, 99.9])).toBe(`Now 95, 99.9. ${counts}`)
  expect(targetHint([90, 95, 99, 99.5, 99.9])).toBe(`Now 90 to 99.9. ${counts}`)
})
