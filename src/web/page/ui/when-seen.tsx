import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

/** What is read and drawn once its place comes into view; until then as high as it will be. */
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
  return isSeen ? <>{children()}</> : <div ref={place} style={{ minHeight: `${heightPx}px` }} />
}
