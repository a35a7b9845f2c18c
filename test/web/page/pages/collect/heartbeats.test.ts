import { describe, expect, test } from 'bun:test'
import {
  bodyOfHeartbeat,
  draftOfHeartbeat,
  durationText,
  readDuration,
} from '../../../../../src/web/page/pages/collect/heartbeats/heartbeat-draft.ts'
import { cronOf, linesToCopy } from '../../../../../src/web/page/pages/collect/heartbeats/lines-to-copy.ts'
import {
  expectedWords,
  goodWords,
  outcomeWord,
  stateSentence,
} from '../../../../../src/web/page/pages/collect/heartbeats/words.ts'
import { heartbeatSloPath } from '../../../../../src/web/page/slo/heartbeat-slo.ts'
import { formatClock } from '../../../../../src/web/page/format.ts'

const nowMs = Date.UTC(2026, 10, 28, 12)
const iso = (inSeconds: number) => new Date(nowMs + inSeconds * 1000).toISOString()
const clockIn = (seconds: number) => formatClock(nowMs + seconds * 1000)
const plain = (text: string) => text.replace(/[\u2009\u202f\u00a0]/g, ' ')

describe('when the next run of a heartbeat is expected', () => {
  test.each([
    ['up', 1800, 2100, `by ${clockIn(1800)}, in 30 min`],
    ['up', 95, 400, `by ${clockIn(95)}, in 1 min`],
    ['missed', 20, 400, `by ${clockIn(20)}, in 20 s`],
    ['due', 0, 240, `now, until ${clockIn(240)}, in 4 min`],
    ['due', -60, -1, 'now'],
    ['paused', 1800, 2100, 'not while paused'],
  ] as const)('%s, due in %p s and missed in %p s: %p', (state, due, deadline, words) => {
    const of = { state, next_due_at: iso(due), deadline_at: iso(deadline) }
    expect(plain(expectedWords(of, nowMs))).toBe(plain(words))
  })

  test('without a report it may come at any time', () => {
    expect(expectedWords({ state: 'waiting', next_due_at: null, deadline_at: null }, nowMs)).toBe('any time')
  })
})

test('the state of a heartbeat is a sentence, with the reason of a failure', () => {
  const failed = {
    state: 'failed',
    reason: 'Backup reported exit code 3',
    state_since: iso(-60),
    is_running: true,
  } as const
  expect(stateSentence(failed, nowMs)).toBe('Backup reported exit code 3. A run is under way.')
  const up = { state: 'up', reason: null, state_since: iso(-60), is_running: false } as const
  expect(stateSentence(up, nowMs)).toBe(`Its job reports in time since ${clockIn(-60)}.`)
})

test('the share of good runs is said with their counts', () => {
  expect(goodWords({ runs: 0, good_runs: 0 })).toBe('no run yet')
  expect(plain(goodWords({ runs: 4, good_runs: 3 }))).toBe('75 %, 3 of 4')
})

test('reports that are no runs are told from each other', () => {
  expect(outcomeWord({ outcome: null, report: 'log' }).word).toBe('Log')
  expect(outcomeWord({ outcome: null, report: 'success' }).word).toBe('Beside the schedule')
  expect(outcomeWord({ outcome: 'late', report: 'success' }).word).toBe('Late')
})

test.each([
  [60, '* * * * *'],
  [300, '*/5 * * * *'],
  [3600, '0 * * * *'],
  [21_600, '0 */6 * * *'],
  [86_400, '30 2 * * *'],
  [420, '30 2 * * *'], // no cron expression is every 7 minutes
])('a period of %p s is %p in a crontab', (period_seconds, cron) => {
  expect(cronOf({ cron: null, period_seconds })).toBe(cron)
})

test('the lines to copy call the address of the heartbeat, at its own times', () => {
  const url = 'https://slo.example.com/ping/UUID'
  const lines = linesToCopy(url, { cron: '5 4 * * *', period_seconds: null })
  expect(lines.map(({ from }) => from)).toEqual(['Cron', 'systemd, in the service of a timer', 'Shell', 'PowerShell'])
  expect(lines.every(({ line }) => line.includes(url))).toBe(true)
  expect(lines[0]?.line).toBe(`5 4 * * * /usr/local/bin/backup; curl -fsS -m 10 --retry 5 -o /dev/null ${url}/$?`)
})

test.each([
  ['success', 'exited', '0', '0'],
  ['exit-code', 'exited', '3', '3'],
  ['success', 'killed', 'TERM', 'fail'],
  ['signal', 'killed', 'KILL', 'fail'],
  ['timeout', 'exited', '0', 'fail'],
  ['resources', '', '', 'fail'],
])('the line for systemd reports %s of a service that %s with %j as %p', (result, exit, status, end) => {
  const url = 'https://slo.example.com/ping/UUID'
  const lines = linesToCopy(url, { cron: null, period_seconds: 60 })
  const { line = '' } = lines.find(({ from }) => from.startsWith('systemd')) ?? {}
  const [, script = ''] = /^ExecStopPost=\/bin\/sh -c '(.*)'$/.exec(line) ?? []
  const env = { SERVICE_RESULT: result, EXIT_CODE: exit, EXIT_STATUS: status }
  const { stdout } = Bun.spawnSync(['sh', '-c', `curl() { echo "$@"; }; ${script}`], {
    env: { ...process.env, ...env },
  })
  expect(stdout.toString()).toEndWith(` ${url}/${end}\n`)
})

test.each([0, 3])('the line for a shell reports the exit code %p of the job with what it wrote', (code) => {
  const url = 'https://slo.example.com/ping/UUID'
  const { line = '' } = linesToCopy(url, { cron: null, period_seconds: 60 }).find(({ from }) => from === 'Shell') ?? {}
  const doubles = `backup() { echo disk full >&2; return ${code}; }; curl() { echo "$@"; }`
  const { stdout } = Bun.spawnSync(['sh', '-c', `${doubles}; ${line}`])
  expect(stdout.toString()).toEndWith(`--data-raw disk full ${url}/${code}\n`)
})

test('an SLO of a heartbeat counts its good runs out of all, by the label job of its series', () => {
  const path = (labels: Record<string, string>) =>
    decodeURIComponent(heartbeatSloPath({ name: 'a "b"', labels }, 3)).replaceAll('+', ' ')
  expect(path({})).toContain(
    'good=heartbeat_runs_good_total{job="a \\"b\\""}&total=heartbeat_runs_total{job="a \\"b\\""}',
  )
  expect(path({ job: 'c' })).toContain('total=heartbeat_runs_total{job="c"}')
  expect(path({})).toContain('source=3')
  expect(path({})).toContain('target=99&')
})

describe('the form of a heartbeat', () => {
  test.each([60, 300, 5400, 86_400, 90_061])('writes %p s as a duration that it reads again', (seconds) => {
    expect(readDuration(durationText(seconds), 'period_seconds')).toBe(seconds)
  })

  test.each(['', '5', 'soon', '5 weeks', '-5 min'])('refuses %p as a duration', (text) => {
    expect(() => readDuration(text, 'grace_seconds')).toThrow('must be a duration')
  })

  test.each(['30 s', '59s', '366 d'])('refuses %p, which is too short or too long', (text) => {
    expect(() => readDuration(text, 'grace_seconds')).toThrow('must be between 1 min and 365 d')
  })

  test('sends a period or a cron expression with its zone, never both', () => {
    const draft = { ...draftOfHeartbeat(null, 'Europe/Zurich'), name: 'backup', period: '2h', labels: 'rack=b' }
    const rest = { name: 'backup', grace_seconds: 300, labels: { rack: 'b' } }
    expect(bodyOfHeartbeat(draft)).toEqual({ ...rest, period_seconds: 7200, cron: null, time_zone: null })
    expect(bodyOfHeartbeat({ ...draft, by: 'cron', slug: 'nightly' })).toEqual({
      ...rest,
      period_seconds: null,
      cron: '30 2 * * *',
      time_zone: 'Europe/Zurich',
      slug: 'nightly',
    })
  })
})
