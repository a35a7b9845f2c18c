import { expect, test } from 'bun:test'
import { formatDuration, spellDuration } from '../../../src/notifications/templates/template-data.ts'
import { durations } from '../../support/durations.ts'

test.each(durations)('%p seconds are written %p in messages, as on the page', (seconds, text) => {
  expect(spellDuration(seconds)).toBe(text)
  expect(formatDuration(seconds)).toBe(text.replaceAll(/(\d) (d|h|m|s)(in)?/g, '$1$2'))
})
