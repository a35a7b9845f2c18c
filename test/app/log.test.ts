import { beforeEach, expect, test } from 'bun:test'
import { createDeduplicatingLog } from '../../src/app/log.ts'
import { DiskFailure } from '../../src/db/failures/disk-failure.ts'
import { createLog, type Log } from '../../src/log.ts'

let nowMs: number
let lines: { message: string; job: string; error: string; times?: number }[]
let log: Log
beforeEach(() => {
  nowMs = 1_795_255_200_000
  lines = []
  const write = (line: string) => void lines.push(JSON.parse(line))
  const now = () => nowMs
  log = createDeduplicatingLog(createLog({ level: 'info', format: 'json', now, write }), { now })
})
const failed = (job: string, error: Error) => log.error('job failed', { job, error })
const said = () => lines.splice(0).map(({ job, error, times }) => [job, error.split('\n')[0], times])

test('the same failure again and again is logged once a minute with how often it was, another one at once', () => {
  for (let second = 0; second < 120; second += 2) {
    failed('write', new Error('the file is gone'))
    nowMs += 2000
  }
  expect(said()).toEqual([
    ['write', 'Error: the file is gone', undefined],
    ['write', 'Error: the file is gone', 30],
  ])
  failed('write', new Error('the folder is gone'))
  failed('read', new Error('the folder is gone'))
  nowMs -= 3_600_000
  failed('write', new Error('the folder is gone'))
  expect(said()).toEqual([
    ['write', 'Error: the folder is gone', undefined],
    ['read', 'Error: the folder is gone', undefined],
    ['write', 'Error: the folder is gone', 1],
  ])
})

test('a write that the disk refused is not logged for itself, nor what it caused', () => {
  failed('write', new DiskFailure('disk_full', 'ENOSPC'))
  failed('deliver', new Error('delivery failed', { cause: new DiskFailure('disk_full', 'ENOSPC') }))
  expect(said()).toEqual([])
})

test('an event that names no error is logged each time', () => {
  log.error('condition began', { condition: 'disk_full' })
  log.error('condition began', { condition: 'disk_full' })
  expect(lines).toHaveLength(2)
})
