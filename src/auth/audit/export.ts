import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Db } from '../../db/open.ts'
import { csvLine } from '../../http/csv.ts'
import { type AuditEntry, presentEntry } from './model.ts'
import { type AuditFilter, auditEntriesBefore } from './store.ts'

export type ExportFormat = 'csv' | 'jsonl'

const rowsPerBatch = 1000

export const exportContentTypes: Record<ExportFormat, string> = {
  csv: 'text/csv; charset=utf-8; header=present',
  jsonl: 'application/x-ndjson; charset=utf-8',
}

const columns = [
  'id',
  'event',
  'outcome',
  'user_id',
  'email',
  'ip',
  'user_agent',
  'details',
  'created_at',
  'credential',
] as const

/**
 * Streams every selected entry of an organization, newest first, as UTF-8: CSV (RFC 4180) with a header line, or one JSON object
 * per line. Reads further rows only when the client has taken the previous ones. `onError` is called with the error that ends
 * the stream.
 */
export function exportEntries(
  db: Db,
  organizationId: number,
  { format, filter, onError }: { format: ExportFormat; filter: AuditFilter; onError: (error: unknown) => void },
): ReadableStream<Uint8Array> {
  const lineOf = format === 'csv' ? csvEntry : jsonEntry
  const encoder = new TextEncoder()
  let beforeId: number | undefined = Number.MAX_SAFE_INTEGER // undefined: all entries have been read
  let text = format === 'csv' ? csvLine([...columns]) : ''
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          while (text === '' && beforeId !== undefined) {
            await yieldToEventLoop() // SQLite is synchronous: without this, nothing else would run until the export ends
            const page = await auditEntriesBefore(db, organizationId, { ...filter, beforeId, limit: rowsPerBatch })
            text = page.rows.map((row) => lineOf(presentEntry(row))).join('')
            beforeId = page.next
          }
        } catch (error) {
          onError(error)
          controller.error(error)
          return
        }
        if (text === '') return controller.close()
        controller.enqueue(encoder.encode(text))
        text = ''
      },
    },
    { highWaterMark: 0 },
  )
}

function jsonEntry(entry: AuditEntry): string {
  return `${JSON.stringify(entry)}\n`
}

function csvEntry(entry: AuditEntry): string {
  return csvLine(columns.map((column) => cellText(entry[column])))
}

function cellText(value: AuditEntry[(typeof columns)[number]]): string {
  if (value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
