import { expect, test } from 'bun:test'
import {
  attemptSentence,
  bucketSentence,
  emptySentence,
  whyNoBackup,
} from '../../../../../src/web/page/pages/settings/system/words.ts'
import type { BackupList } from '../../../../../src/web/page/pages/settings/types.ts'

const none: BackupList = {
  has_folder: true,
  schedule: null,
  next_at: null,
  is_running: false,
  problem: null,
  last_attempt: null,
  bucket: null,
  backups: [],
}

test('the last attempt says that it was checked, or why it failed', () => {
  const at = '2026-11-21T02:15:00.000Z'
  expect(attemptSentence({ at, seconds: 4.2, problem: null })).toBe('Written in 4.2 s, and restored as a check')
  expect(attemptSentence({ at, seconds: 4.2, problem: 'no room' })).toBe('Failed: no room')
})

test.each([
  [null, 'None: backups are on this machine only'],
  [{ copies: null, problem: null }, 'Not asked yet'],
  [{ copies: 1, problem: null }, '1 backup'],
  [{ copies: 12, problem: null }, '12 backups'],
  [{ copies: 12, problem: 'it is full' }, 'The newest backup is not there: it is full'],
])('the bucket %j is said as %p', (bucket, sentence) => {
  expect(bucketSentence(bucket)).toBe(sentence)
})

test('an empty list says what lacks, and the button why it is off', () => {
  expect([emptySentence(none), whyNoBackup(none)]).toEqual([
    'There is no backup in the folder for backups yet.',
    undefined,
  ])
  const noFolder = { ...none, has_folder: false }
  expect(emptySentence(noFolder)).toContain('Set BACKUP_DIR')
  expect(whyNoBackup(noFolder)).toBe('There is no folder for backups.')
  expect(whyNoBackup({ ...none, is_running: true })).toBe('A backup is being written.')
  expect(emptySentence({ ...none, problem: '/b cannot be read' })).toBe('/b cannot be read')
})
