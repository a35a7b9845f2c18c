import type { RefObject } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import {
  type Heights,
  type Item,
  maxNewRows,
  nextRows,
  offsetsOf,
  type Piece,
  piecesOf,
  type Range,
  rowsBetween,
} from './virtual-rows.ts'

// Heights in pixels, the same as in overview.css.
const group = 36
const heights = {
  rows: { full: { slo: 44, group }, compact: { slo: 32, group } },
  cards: { full: { slo: 168, group }, compact: { slo: 108, group } },
}
const headPx = 33
const narrow = matchMedia('(max-width: 639px)')

type RowsInView = {
  body: RefObject<HTMLTableSectionElement | null>
  pieces: Piece[]
  /** Index of the focused row; without one, the index before the first row in the window. */
  focused: () => number
  /** Scrolls a row into the window and focuses it. */
  show: (place: number) => void
}

/** Rows to draw: all, or those near the window, a few more in each frame. The focused row is always drawn and keeps the focus. */
export function useRowsInView(items: readonly Item[], isVirtual: boolean, isCompact: boolean): RowsInView {
  const body = useRef<HTMLTableSectionElement>(null)
  const isNarrow = useMatches(narrow)
  const height: Heights = heights[isNarrow ? 'cards' : 'rows'][isCompact ? 'compact' : 'full']
  const offsets = useMemo(() => offsetsOf(items, height), [items, height])
  const [range, setRange] = useState<Range>([0, maxNewRows])
  const drawn = useRef(range)
  const seen = useRef(range)
  const lastItems = useRef(items)
  if (lastItems.current !== items) {
    lastItems.current = items
    drawn.current = overlapOf(drawn.current, seen.current) // the others are drawn again in the next frames, a few in each
  }
  const focusedKey = useRef<string | undefined>(undefined) // of the focused row, or of the one to focus when it is drawn

  useEffect(() => {
    if (!isVirtual) return
    let frame = 0
    const look = () => {
      frame = 0
      if (!body.current) return
      const topPx = -body.current.getBoundingClientRect().top
      const near = rowsBetween(offsets, topPx, topPx + innerHeight)
      const next = nextRows(drawn.current, near)
      seen.current = near.seen
      if (!isSame(next, drawn.current)) setRange((drawn.current = next))
      if (!isSame(next, near.around)) lookSoon()
    }
    const lookSoon = () => (frame ||= requestAnimationFrame(look))
    look()
    addEventListener('scroll', lookSoon, { passive: true })
    addEventListener('resize', lookSoon)
    return () => {
      cancelAnimationFrame(frame)
      removeEventListener('scroll', lookSoon)
      removeEventListener('resize', lookSoon)
    }
  }, [isVirtual, offsets])

  useEffect(() => {
    const element = body.current
    if (!element) return
    const onFocus = ({ target }: FocusEvent) => (focusedKey.current = keyOf(target))
    const onBlur = () => {
      if (element.isConnected && document.hasFocus()) focusedKey.current = undefined
    }
    element.addEventListener('focusin', onFocus)
    element.addEventListener('focusout', onBlur)
    return () => {
      element.removeEventListener('focusin', onFocus)
      element.removeEventListener('focusout', onBlur)
    }
  }, [])

  const keptIndex = focusedKey.current === undefined ? -1 : items.findIndex(({ key }) => key === focusedKey.current)
  const pieces = useMemo(
    () =>
      isVirtual
        ? piecesOf(offsets, drawn.current, keptIndex < 0 ? [] : [keptIndex - 1, keptIndex, keptIndex + 1])
        : items.map((_, place): Piece => ({ kind: 'row', place })),
    [isVirtual, offsets, drawn.current, range, keptIndex, items],
  )

  // A row that moves in the list loses the focus, and the row to focus may be drawn only now.
  useLayoutEffect(() => {
    const key = focusedKey.current
    const active = document.activeElement
    const isElsewhere = active !== document.body && !body.current?.contains(active)
    if (key === undefined || isElsewhere || keyOf(active) === key) return
    linkOf(body.current, key)?.focus({ preventScroll: true })
  })

  return {
    body,
    pieces,
    focused: () => {
      const key = focusedKey.current
      if (key !== undefined) return items.findIndex((item) => item.key === key)
      const rows = [...(body.current?.querySelectorAll<HTMLElement>('[data-slo]') ?? [])]
      const first = rows.find((row) => row.getBoundingClientRect().bottom > headPx)
      return items.findIndex(({ key }) => key === first?.dataset['slo']) - 1
    },
    show: (place) => {
      const item = items[place]
      if (!item || !body.current) return
      const link = linkOf(body.current, item.key)
      if (link) return reveal(link)
      focusedKey.current = item.key
      const topPx = body.current.getBoundingClientRect().top + scrollY + (offsets[place] ?? 0)
      scrollTo(0, topPx - innerHeight / 2)
      setRange(([first, end]) => [first, end]) // a new array: draws the row, which then gets the focus
    },
  }
}

function overlapOf(a: Range, b: Range): Range {
  const first = Math.max(a[0], b[0])
  return [first, Math.max(first, Math.min(a[1], b[1]))]
}

function isSame(a: Range, b: Range): boolean {
  return a[0] === b[0] && a[1] === b[1]
}

function reveal(link: HTMLElement): void {
  link.focus({ preventScroll: true })
  link.closest('tr')?.scrollIntoView({ block: 'nearest' })
}

function keyOf(element: EventTarget | null): string | undefined {
  return element instanceof Element ? element.closest<HTMLElement>('[data-slo]')?.dataset['slo'] : undefined
}

function linkOf(body: HTMLElement | null, key: string): HTMLElement | null | undefined {
  return body?.querySelector<HTMLElement>(`[data-slo="${key}"] a`)
}

/** True while a media query matches. */
function useMatches(query: MediaQueryList): boolean {
  const [isMatch, setMatch] = useState(query.matches)
  useEffect(() => {
    const onChange = () => setMatch(query.matches)
    query.addEventListener('change', onChange)
    return () => query.removeEventListener('change', onChange)
  }, [query])
  return isMatch
}
