import { expect, test } from 'bun:test'
import { dayMs, hourMs } from '../../../src/clock.ts'
import { backupName, backupsToDelete, timeOfBackup } from '../../../src/db/backup/kept-backups.ts'

const at = (text: string) => Date.parse(text)

/** Names of the backups that stay after each of these times had one, and the rule was applied after each. */
function kept(timesMs: number[], rule: Parameters<typeof backupsToDelete>[1]): string[] {
  let names: string[] = []
  for (const timeMs of timesMs) {
    names.push(backupName(timeMs))
    const deleted = new Set(backupsToDelete(names, rule))
    names = names.filter((name) => !deleted.has(name))
  }
  return names
}

test('the name of a backup says its time, and other names have none', () => {
  expect(backupName(at('2026-11-29T02:15:00.789Z'))).toBe('nines-20261129T021500Z.tar.zst')
  expect(timeOfBackup('nines-20261129T021500Z.tar.zst')).toBe(at('2026-11-29T02:15:00Z'))
  expect(timeOfBackup('nines-20261129T021500Z.tar')).toBe(at('2026-11-29T02:15:00Z')) // one that is not compressed
  const others = [
    'nines.tar',
    'nines-20261129T021500Z.tar.zst.part-7',
    'before-nines-20261129T021500Z.tar.zst',
    'readme',
  ]
  expect(others.map(timeOfBackup)).toEqual([null, null, null, null])
})

test('the last backups of days, weeks and months stay, each for as long as the rule says', () => {
  const everyDay = Array.from({ length: 400 }, (_, day) => at('2025-10-25T02:15:00Z') + day * dayMs)
  expect(kept(everyDay, { daily: 3, weekly: 2, monthly: 3 })).toEqual([
    'nines-20260930T021500Z.tar.zst',
    'nines-20261031T021500Z.tar.zst',
    'nines-20261122T021500Z.tar.zst', // a Sunday, the last day of its week
    'nines-20261126T021500Z.tar.zst',
    'nines-20261127T021500Z.tar.zst',
    'nines-20261128T021500Z.tar.zst',
  ])
})

test('of several backups a day the last stays, and the newest one always', () => {
  const everyHour = Array.from({ length: 30 }, (_, hour) => at('2026-11-27T00:00:00Z') + hour * hourMs)
  expect(kept(everyHour, { daily: 2, weekly: 0, monthly: 0 })).toEqual([
    'nines-20261127T230000Z.tar.zst',
    'nines-20261128T050000Z.tar.zst',
  ])
  expect(kept(everyHour, { daily: 0, weekly: 0, monthly: 0 })).toEqual(['nines-20261128T050000Z.tar.zst'])
})

test('gaps count no days: the last backups stay however old they are', () => {
  const sparse = ['2026-01-05T00:00:00Z', '2026-03-01T00:00:00Z', '2026-11-01T00:00:00Z'].map(at)
  expect(kept(sparse, { daily: 3, weekly: 0, monthly: 0 })).toHaveLength(3)
})

test('files of others are never deleted', () => {
  const names = ['notes.txt', 'nines.tar', 'nines-20261128T050000Z.tar.zst', 'nines-20261128T040000Z.tar.zst']
  expect(backupsToDelete(names, { daily: 1, weekly: 1, monthly: 1 })).toEqual(['nines-20261128T040000Z.tar.zst'])
})
