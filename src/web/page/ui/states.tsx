import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { ApiError } from '../api/client.ts'
import type { Resource } from '../api/resource.ts'
import { words } from '../words.ts'
import { Button } from './button.tsx'
import { Icon, type IconName } from './icon.tsx'

const patienceMs = 150

/** Grey shapes of the final size, after 150 ms: what is there sooner makes no flicker. */
export function Skeleton({ heightPx, lines = 1 }: { heightPx: number; lines?: number }) {
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), patienceMs)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div class={`skeleton${isLate ? ' late' : ''}`} role="status" aria-label={words.loading}>
      {Array.from({ length: lines }, (_, at) => (
        <div key={at} style={`--height: ${heightPx}px`} />
      ))}
    </div>
  )
}

type EmptyProps = {
  icon: IconName
  title: string
  /** Whether it is all of a page, and its title that of the page. */
  isPage?: boolean
  children?: ComponentChildren
}

/** What there is to say where there is nothing to show: one sentence, and what to do about it. */
export function Empty({ icon, title, isPage = false, children }: EmptyProps) {
  return (
    <div class="empty">
      <Icon name={icon} size={24} />
      {isPage ? <h1>{title}</h1> : <h2>{title}</h2>}
      {children}
    </div>
  )
}

/** Why something could not be read: the server's sentence. Where there is no answer, the page itself tries again. */
export function Failed({ error, onRetry }: { error: ApiError; onRetry: () => void }) {
  if (error.status === 0) return <p class="muted">{words.noAnswer}. The page tries again by itself.</p>
  return (
    <div class="failed" role="alert">
      <p>
        <strong>{error.message}.</strong> {error.details}
      </p>
      <Button small icon="refresh-cw" onClick={onRetry}>
        {words.retry}
      </Button>
    </div>
  )
}

/** What was read, as `children` show it; grey of its height before, and why it could not be read where that is so. */
export function Read<T>({
  of: { value, error, read },
  heightPx,
  children,
}: {
  of: Resource<T>
  heightPx: number
  children: (value: T) => ComponentChildren
}) {
  return (
    <>
      {error.value && <Failed error={error.value} onRetry={read} />}
      {value.value === undefined ? !error.value && <Skeleton heightPx={heightPx} /> : children(value.value)}
    </>
  )
}
