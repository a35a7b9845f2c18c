import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

/** Content that is read and drawn when it scrolls into view; until then empty space of its height. */
export function WhenSeen({ heightPx, children }: { heightPx: number; children: () => ComponentChildren }) {
  const [isSeen, setSeen] = useState(false)
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (isSeen || !place.current) return
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setSeen(true)
    })
    observer.observe(place.current)
    return () => observer.disconnect()
  }, [isSeen])
  return isSeen ? <>{children()}</> : <div ref={place} class="unseen" style={{ minHeight: `${heightPx}px` }} />
}
