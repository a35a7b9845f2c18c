import type { Paged } from '../api/history.ts'
import { page, useAddress } from '../address/fields.ts'
import { LinkButton } from './button.tsx'
import { pagesLabel, pageWords } from './words.ts'

const pageFields = { page }

/** Current page of a list, and links to the adjacent ones; the page is in the address. Nothing if there is only one page. */
export function Pager({ of: { total, page, page_size, has_next }, what }: { of: Paged; what: string }) {
  const { to } = useAddress(pageFields)
  if (page === 1 && !has_next) return null
  return (
    <nav class="pager" aria-label={pagesLabel(what)}>
      <span class="muted">{pageWords(page, Math.max(page, Math.ceil(total / page_size)))}</span>
      {page > 1 && (
        <LinkButton small href={to({ page: page - 1 })}>
          Newer
        </LinkButton>
      )}
      {has_next && (
        <LinkButton small href={to({ page: page + 1 })}>
          Older
        </LinkButton>
      )}
    </nav>
  )
}

/** Page in the address; 1 if there is none or it is invalid. */
export function usePage(): number {
  return useAddress(pageFields).fields.page
}
