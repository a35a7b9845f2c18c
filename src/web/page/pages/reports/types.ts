import type { Schemas } from '../../../../../dist/openapi.d.ts'

/** `GET /reports`. */
export type Reports = Schemas['ReportList']
export type ListedReport = Schemas['ListedReport']
/** `GET /reports/:id`. */
export type OneReport = Schemas['Report']
export type Report = NonNullable<OneReport['data']['report']>
export type ReportedSlo = Report['slos'][number]
/** `GET /reports/schedules`. */
export type Schedules = Schemas['ReportScheduleList']
export type Schedule = Schemas['ReportSchedule']
