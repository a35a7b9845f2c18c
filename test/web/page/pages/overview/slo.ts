import type { OverviewSlo } from '../../../../../src/web/page/api/types.ts'

/** A row of the overview. */
export function slo(changes: Partial<OverviewSlo> = {}): OverviewSlo {
  return {
    id: 1,
    name: 'Checkout answers',
    description: '',
    target: 99.9,
    time_window: '30d',
    window_seconds: 2_592_000,
    team_id: 1,
    team_name: 'Shop',
    labels: { tier: '1' },
    status: 'healthy',
    status_reason: null,
    status_message: null,
    state: 'ok',
    state_since: '2026-11-20T10:00:00.000Z',
    state_reason: null,
    burn_rate_now: 0.5,
    stale: false,
    measured_at: '2026-11-22T13:59:00.000Z',
    sli: 99.95,
    coverage: 1,
    percentage_remaining: 50,
    window_percent_used: 40,
    window_percent_estimated: false,
    unit: 'events',
    burn: null,
    firing: [],
    exhausts_at: null,
    days: [],
    ...changes,
  }
}
