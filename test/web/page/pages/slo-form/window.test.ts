import { expect, test } from 'bun:test'
import { bodyOf, draftOfAddress } from '../../../../../src/web/page/pages/slo-form/draft.ts'
import { tiersToBeginWith } from '../../../../../src/web/page/pages/slo-form/fields/tiers.ts'
import { missingOf } from '../../../../../src/web/page/pages/slo-form/save/missing.ts'

const draftOf = (window: string) => ({ ...draftOfAddress({ query: 'avg(up)', name: 'Up' }, null), window })

test.each(['36h', '14d', '4w', '366d'])('an address and the field may name a window of %s', (window) => {
  expect(draftOfAddress({ window }, null).window).toBe(window)
  expect(bodyOf(draftOf(window))?.time_window).toBe(window as '30d')
  expect(missingOf(draftOf(window))).toBeUndefined()
})

test.each(['', '30', '0d', '49h', 'fortnight'])(
  'the form says that %p is no window, and previews nothing',
  (window) => {
    expect(draftOfAddress({ window }, null).window).toBe('30d')
    expect(bodyOf(draftOf(window))).toBeNull()
    expect(missingOf(draftOf(window))).toEqual({
      time_window: expect.stringContaining('must be whole hours up to 48h'),
    })
    expect(tiersToBeginWith(window)).toEqual(tiersToBeginWith('30d'))
  },
)
