import { useEffect, useState } from 'preact/hooks'

let left = { url: '', scrollPx: 0 }
let wentBackTo = ''
addEventListener('popstate', () => (wentBackTo = location.pathname + location.search))

/** Restores the scroll position when the user goes back to the list. */
export function useScrollRestoration(url: string): void {
  const [before] = useState(() => left)
  useEffect(() => {
    if (wentBackTo === url && before.url === url) scrollTo(0, before.scrollPx)
    wentBackTo = ''
  }, [])
  useEffect(() => {
    const note = () => (left = { url, scrollPx: scrollY })
    addEventListener('scroll', note, { passive: true })
    addEventListener('click', note, true) // may leave the page before the scroll event of a key
    return () => {
      removeEventListener('scroll', note)
      removeEventListener('click', note, true)
    }
  }, [url])
}
