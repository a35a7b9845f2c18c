import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Database } from '../db/open.ts'
import { periodSlug } from './period.ts'
import { renderHtml } from './render-html.ts'
import type { ReportData } from './report.ts'
import { findReportData } from './store.ts'

/** Largest data of a report whose file is attached to mails: many mail servers refuse more than ten megabytes. */
const maxAttachedCharacters = 2_000_000

const charactersPerYield = 65_536

/** HTML file of a report for a mail; null: it is deleted, or too large. */
export async function reportFile(
  db: Database,
  organizationId: number,
  id: number,
): Promise<{ filename: string; content: string } | null> {
  const json = await findReportData(db.read, organizationId, id)
  if (json === null || json.length > maxAttachedCharacters) return null
  const data = JSON.parse(json) as ReportData
  let content = ''
  let written = 0
  for (const piece of renderHtml(data)) {
    content += piece
    if (content.length - written < charactersPerYield) continue
    written = content.length
    await yieldToEventLoop()
  }
  return { filename: fileName(data, 'html'), content }
}

/** Name of a file of a report: `monthly-report-2026-10.html`. */
export function fileName(
  data: Pick<ReportData, 'name' | 'interval' | 'time_zone' | 'starts_at'>,
  ending: string,
): string {
  const base = data.name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 60)
  const slug = periodSlug(data, Date.parse(data.starts_at) / 1000)
  return `${base === '' ? 'report' : base}-${slug}.${ending}`
}
