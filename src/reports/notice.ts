import type { ReportNotice } from '../notifications/notification-data.ts'
import type { ReportData } from './report.ts'
import { announcement, budgetText, sliText } from './texts.ts'

const maxFigures = 20

/** Notification that announces a report: its texts, and the figures of the worst SLOs for a table. */
export function noticeOf(
  report: ReportData,
  id: number,
  publicUrl: string,
): { subject: string; message: string; data: ReportNotice } {
  const { subject, text } = announcement(report)
  const { name, title, starts_at, ends_at, summary } = report
  const figures = report.slos.slice(0, maxFigures).map((slo) => ({
    slo_name: slo.name,
    sli: sliText(slo.sli),
    target: `${slo.target} %`,
    budget_used: budgetText(slo.budget_used_percent),
    met: slo.met,
  }))
  const link = `${publicUrl}/reports/${id}`
  const left_out = Math.max(0, summary.slo_count - figures.length)
  return {
    subject,
    message: text,
    data: { alert: null, report: { id, name, title, starts_at, ends_at, link, figures, left_out } },
  }
}
