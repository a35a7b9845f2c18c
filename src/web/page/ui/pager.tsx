import { useLocation } from 'preact-iso/router'
import type { Paged } from '../api/history.ts'
import { formatNumber } from '../format.ts'
import { queryOf, urlWith } from '../address/url.ts'
import { LinkButton } from './button.tsx'

/** Current page of a list, and links to the adjacent ones; the page is in the address. Nothing if there is only one page. */
export function Pager({ of: { total, page, page_size, has_next }, what }: { of: Paged; what: string }) {
  const { url } = useLocation()
  if (page === 1 && !has_next) return null
  const to = (n: number) => urlWith(url, { page: n === 1 ? null : String(n) })
  return (
    <nav class="pager" aria-label={`Pages of ${what}`}>
      <span class="muted">
        Page {formatNumber(page)} of {formatNumber(Math.max(page, Math.ceil(total / page_size)))}
      </span>
      {page > 1 && (
        <LinkButton small href={to(page - 1)}>
          Newer
        </LinkButton>
      )}
      {has_next && (
        <LinkButton small href={to(page + 1)}>
          Older
        </LinkButton>
      )}
    </nav>
  )
}

/** Page in an address; 1 if there is none or it is invalid. */
export function pageOfUrl(url: string): number {
  const page = Number(queryOf(url, 'page') || 1)
  return Number.isSafeInteger(page) && page >= 1 ? page : 1
}
