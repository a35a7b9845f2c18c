import type { Schema } from '../schemas.ts'
import { annotation, slo } from './world.ts'

const reported = {
  id: 12,
  name: 'Monthly report',
  title: 'October 2026',
  interval: 'month',
  time_zone: 'Europe/Zurich',
  selector: { all: true },
  starts_at: '2026-09-30T22:00:00.000Z',
  ends_at: '2026-10-31T23:00:00.000Z',
  status: 'ready',
  slo_count: 1,
  met_count: 1,
  missed_count: 0,
  schedule_id: 3,
  schedule_name: 'Monthly report',
  created_by: null,
  created_by_name: null,
  created_at: '2026-10-31T23:30:50.000Z',
  made_at: '2026-10-31T23:30:50.000Z',
}

const schedule = {
  id: 3,
  name: 'Monthly report',
  interval: 'month',
  time_zone: 'Europe/Zurich',
  selector: { all: true },
  channel_ids: [1],
  made_until: '2026-10-31T23:00:00.000Z',
}

const period = { starts_at: reported.starts_at, ends_at: reported.ends_at }

/** Examples of the schemas of reports, by their title. */
export const reportSchemas: Record<string, Schema> = {
  ListedReport: reported,
  ReportList: { reports: [reported], page_size: 20, total: 1 },
  ReportSchedule: schedule,
  ReportScheduleList: { schedules: [schedule], page_size: 20, total: 1 },
  Report: {
    data: {
      ...reported,
      report: {
        version: '1',
        name: reported.name,
        interval: 'month',
        title: reported.title,
        time_zone: reported.time_zone,
        ...period,
        made_at: reported.made_at,
        organization: 'Example',
        scope: { kind: 'all', text: 'All SLOs' },
        summary: {
          slo_count: 1,
          met: 1,
          missed: 0,
          unknown: 0,
          incident_count: 1,
          incident_seconds: 1440,
          alert_count: 1,
          deploy_count: 1,
          change_count: 0,
          min_coverage: 1,
        },
        slos: [
          {
            id: slo.id,
            name: slo.name,
            owner: '',
            labels: { service: 'checkout' },
            target: 99.9,
            sli: 99.96,
            met: true,
            unit: 'events',
            bad: 4320,
            total: 10_800_000,
            allowed: 10_800,
            budget_used_percent: 40,
            coverage: 1,
            excluded: null,
            resolution: '1m',
            is_frozen_period: false,
            own: { time_window: '30d', time_zone: null, sli: 99.96, budget_left_percent: 60 },
            periods: [],
            incident_count: 1,
            alerts: { page: 1, ticket: 0, other: 0 },
          },
        ],
        incidents: [
          {
            id: 81,
            slo_id: slo.id,
            slo_name: slo.name,
            severity: 'critical',
            began_at: '2026-10-19T10:30:00.000Z',
            ended_at: '2026-10-19T10:54:00.000Z',
            duration_seconds: 1440,
            budget_percent: 40,
            cause: null,
            deploy: { title: annotation.title, url: annotation.url, seconds_before: 120 },
            account: null,
          },
        ],
        deploys: [
          {
            id: annotation.id,
            kind: 'deploy',
            title: annotation.title,
            url: annotation.url,
            at: '2026-10-19T10:28:00.000Z',
            costs: [{ slo_id: slo.id, slo_name: slo.name, budget_percent: 40, before_percent: 0 }],
          },
        ],
        changes: [],
      },
    },
  },
}
