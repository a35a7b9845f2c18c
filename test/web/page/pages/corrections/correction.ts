import type { Correction } from '../../../../../src/web/page/pages/corrections/words.ts'

/** Correction of one SLO, of 40 minutes. */
export const correction: Correction = {
  id: 1,
  slo_ids: [7],
  team_id: null,
  labels: null,
  from: '2026-11-19T10:00:00.000Z',
  to: '2026-11-19T10:40:00.000Z',
  rrule: null,
  duration_seconds: null,
  time_zone: null,
  category: 'planned_maintenance',
  text: '',
  silence_id: null,
  created_by: 1,
  created_by_name: 'Ada',
  created_at: '2026-11-19T11:00:00.000Z',
  updated_at: '2026-11-19T11:00:00.000Z',
}
