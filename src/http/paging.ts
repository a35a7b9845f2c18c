import { t } from 'elysia'
import { QueryNumber } from './schemas.ts'

/** Requested page of a list; the first page is 1. */
export type Page = { page: number; pageSize: number }

/** Query parameters of a paginated list. */
export const PageQuery = {
  page: t.Optional(QueryNumber({ min: 1, max: 1_000_000_000 })),
  page_size: t.Optional(QueryNumber({ min: 1, max: 100 })),
}

/** Response fields in addition to the rows; `total` counts the rows of all pages. */
export const PageFields = { total: t.Number(), page: t.Number(), page_size: t.Number(), has_next: t.Boolean() }

export function readPage(query: { page?: number; page_size?: number }, defaultSize = 10): Page {
  return { page: query.page ?? 1, pageSize: query.page_size ?? defaultSize }
}

/** Values of the `PageFields`. */
export function pageFields({ page, pageSize }: Page, total: number) {
  return { total, page, page_size: pageSize, has_next: page * pageSize < total }
}
