import { expect, test } from 'bun:test'
import { createJobFailures } from '../../src/jobs/job-failures.ts'
import { createLog } from '../../src/log.ts'

test('the same failure of a job again and again is logged once a minute, another one at once', () => {
  let nowMs = 1_795_255_200_000
  const lines: { job: string; error: string; times?: number }[] = []
  const clock = { now: () => nowMs }
  const log = createLog({
    level: 'info',
    format: 'json',
    now: clock.now,
    write: (line) => void lines.push(JSON.parse(line)),
  })
  const failed = createJobFailures({ log, clock })
  const said = () => lines.splice(0).map(({ job, error, times }) => [job, error.split('\n')[0], times])
  for (let second = 0; second < 120; second += 2) {
    failed('write', new Error('disk is full'))
    nowMs += 2000
  }
  expect(said()).toEqual([
    ['write', 'Error: disk is full', undefined],
    ['write', 'Error: disk is full', 30],
  ])
  failed('write', new Error('disk is gone'))
  failed('read', new Error('disk is gone'))
  nowMs -= 3_600_000
  failed('write', new Error('disk is gone'))
  expect(said()).toEqual([
    ['write', 'Error: disk is gone', undefined],
    ['read', 'Error: disk is gone', undefined],
    ['write', 'Error: disk is gone', 1],
  ])
})
