import { afterAll, beforeAll, expect, test } from 'bun:test'
import type * as Save from '../../../../../../src/web/page/pages/slo-form/save/save.ts'
import { draftOfSlo } from '../../../../../../src/web/page/pages/slo-form/draft.ts'
import { fakeBrowser } from '../../../api/fake-browser.ts'

let browser: ReturnType<typeof fakeBrowser>
let ruleSettings: typeof Save.ruleSettings // loaded once the browser globals exist
let undoOf: typeof Save.undoOf

beforeAll(async () => {
  browser = fakeBrowser(() => Response.json({}))
  ;({ ruleSettings, undoOf } = await import('../../../../../../src/web/page/pages/slo-form/save/save.ts'))
})
afterAll(() => browser.restore())

const rules = (burns: Record<string, 'page' | 'ticket' | null>, outages: number[] = []) => ({
  burns,
  outages: new Set(outages),
})
const rule = (channel_id: number) => ({ channel_id, alert_type: 'burn_rate_too_fast' })

test('channels of an SLO that are new, differ or go are settings of one request', () => {
  const before = { 1: null, 2: 'page', 3: 'ticket' } as const
  const after = { 1: null, 2: 'ticket', 4: 'page' } as const
  expect(ruleSettings([7], rules(after), rules(before))).toEqual([
    { ...rule(3), slo_ids: [], remove_slo_ids: [7] },
    { ...rule(2), slo_ids: [7], severity: 'ticket', enabled: true },
    { ...rule(4), slo_ids: [7], severity: 'page', enabled: true },
  ])
})

test('channels that stay as they are send nothing', () => {
  expect(ruleSettings([7], rules({ 1: null }, [1]), rules({ 1: null }, [1]))).toEqual([])
})

test('channels that are to be notified of outages, or no more, are settings of the same request', () => {
  const outage = (channel_id: number) => ({ channel_id, alert_type: 'violation' })
  expect(ruleSettings([7], rules({ 1: null }, [1, 2]), rules({ 1: null }, [2, 3]))).toEqual([
    { ...outage(3), slo_ids: [], remove_slo_ids: [7] },
    { ...outage(1), slo_ids: [7], enabled: true },
  ])
})

test('the undo of a new choice for an SLO that can be down takes its rule for outages back too', () => {
  const jobs = { ...slo, good_query: 'heartbeat_runs_good_total', total_query: 'heartbeat_runs_total' } as Slo
  const settings = { tiers: null, thresholds: [50], rules: [] } as unknown as StoredAlerting
  const draft = { ...draftOfSlo(jobs), tiers: null, thresholds: [50], notify: { 1: null } }
  const [request] = undoOf(jobs, draft, settings)
  expect(request?.body).toEqual({
    settings: [
      { ...rule(1), slo_ids: [], remove_slo_ids: [7] },
      { channel_id: 1, alert_type: 'violation', slo_ids: [], remove_slo_ids: [7] },
    ],
  })
})

type Slo = Parameters<typeof Save.undoOf>[0]
type StoredAlerting = Parameters<typeof Save.undoOf>[2]

const slo = {
  id: 7,
  name: 'Shop answers',
  target: 99.9,
  time_window: '30d',
  time_zone: null,
  metric_type: 'availability',
  metric_query: '(a) / (b)',
  good_query: 'a',
  bad_query: null,
  total_query: 'b',
  threshold: null,
  threshold_op: null,
  window_method: 'auto',
  query_unit: 'auto',
  source_id: 1,
  team_id: 1,
  description: '',
  owner: '',
  runbook_url: '',
  budget_policy: [],
  service_hours: null,
  paused: false,
  picks: null,
  labels: { tier: '1' },
} as unknown as Slo
const texts = { priority: 'high', subject: 'Wake up', message: null, max_retries: 3, min_interval_seconds: 60 }
const onCall = { ...rule(1), ...texts, severity: 'page', enabled: true }
const storedAlerting = { tiers: null, thresholds: [50], rules: [onCall] } as unknown as StoredAlerting
const opened = () => ({ ...draftOfSlo(slo), tiers: null, thresholds: [50], notify: { 1: 'page' as const } })

test('an edit that changes nothing has nothing to undo', () => {
  expect(undoOf(slo, opened(), storedAlerting)).toEqual([])
})

test('the undo of an edit puts back what it changed, and nothing else', () => {
  const draft = { ...opened(), target: '99', isPaused: true, labels: [], thresholds: null, notify: {} }
  expect(undoOf(slo, draft, storedAlerting)).toEqual([
    { path: '/slos/7', body: { target: 99.9, paused: false, labels: { tier: '1' }, force: true } },
    { path: '/slos/7/alerting', body: { budget_thresholds: [50] } },
    {
      path: '/notifications/rules/settings',
      body: {
        settings: [
          {
            ...rule(1),
            slo_ids: [7],
            severity: 'page',
            enabled: true,
            priority: 'high',
            subject: 'Wake up',
            max_retries: 3,
            min_interval_seconds: 60,
          },
        ],
      },
    },
  ])
})

test('the undo of an edit that was saved over that of somebody else puts theirs back', () => {
  expect(undoOf(slo, { ...opened(), target: '98' }, storedAlerting, { ...slo, target: 97 })).toEqual([
    { path: '/slos/7', body: { target: 97, force: true } },
  ])
})
