import { expect, test } from 'bun:test'
import { resolveSelection, labelsToChoose, selectionOf } from '../../../../src/web/page/silence/covered.ts'
import {
  endPresets,
  plannedEndPresets,
  localInput,
  momentOf,
  tomorrowMorning,
} from '../../../../src/web/page/silence/ends.ts'

const slos = [
  { id: 1, name: 'Checkout', labels: { team: 'shop', tier: '1' }, team_name: 'Shop' },
  { id: 2, name: 'Search', labels: { team: 'web' }, team_name: 'Web' },
  { id: 3, name: 'Payments', labels: { team: 'shop' }, team_name: 'Shop' },
]

test('an end by name counts from now; tomorrow is the next day at nine', () => {
  const nowMs = new Date(2026, 10, 18, 23, 30).getTime()
  expect(endPresets.slice(0, 2).map(({ atMs }) => atMs(nowMs) - nowMs)).toEqual([3_600_000, 14_400_000])
  expect(new Date(tomorrowMorning(nowMs))).toEqual(new Date(2026, 10, 19, 9))
  expect(new Date(tomorrowMorning(new Date(2026, 11, 31, 0, 5).getTime()))).toEqual(new Date(2027, 0, 1, 9))
  expect(endPresets.at(-1)?.label()).toBe('Until tomorrow 09:00')
  expect(plannedEndPresets.at(-1)?.label()).toBe('Until 09:00 of the next day')
})

test('the field of a moment has it in the zone of the viewer, and gives it back to the minute', () => {
  const ms = new Date(2026, 10, 18, 7, 5, 31).getTime()
  expect(localInput(ms)).toBe('2026-11-18T07:05')
  expect(momentOf(localInput(ms))).toBe(new Date(2026, 10, 18, 7, 5).getTime())
  expect(momentOf('')).toBeUndefined()
})

test('what the dialog was opened for is what it silences', () => {
  expect(selectionOf({ sloIds: [2] })).toEqual({ kind: 'slo', id: 2 })
  expect(selectionOf({ sloIds: [1, 2] })).toEqual({ kind: 'slos', ids: [1, 2] })
  expect(selectionOf(null, 'Shop')).toEqual({ kind: 'team', team: 'Shop' })
  expect(selectionOf(null)).toBeNull()
  expect(resolveSelection({ kind: 'team', team: 'Shop' }, slos).target).toEqual({ sloIds: [1, 3] })
  expect(resolveSelection({ kind: 'slo', id: null }, slos)).toEqual({ covered: [], target: null })
})

test('labels cover the SLOs that have all of them, and no label covers nothing', () => {
  const covered = (labels: Record<string, string>) => resolveSelection({ kind: 'labels', labels }, slos)
  expect(covered({}).target).toBeNull()
  expect(covered({ team: 'shop' }).covered.map(({ name }) => name)).toEqual(['Checkout', 'Payments'])
  expect(covered({ team: 'shop', tier: '1' }).covered.map(({ name }) => name)).toEqual(['Checkout'])
  expect(covered({ team: 'nobody' })).toEqual({ covered: [], target: { labels: { team: 'nobody' } } })
  expect(labelsToChoose(slos, {})).toEqual(['team=shop', 'team=web', 'tier=1'])
  expect(labelsToChoose(slos, { team: 'shop' })).toEqual(['tier=1'])
})
