import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { ApiError } from '../api/client.ts'
import type { Resource } from '../api/resource.ts'
import { words } from '../words.ts'
import { Button } from './button.tsx'
import { Icon, type IconName } from './icon.tsx'

const placeholderDelayMs = 150

/** Grey placeholder for content that is being read. `heightPx`: height of each line. It appears after 150 ms, so that fast answers do not flicker. */
export function Skeleton({ heightPx, lines = 1 }: { heightPx: number; lines?: number }) {
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), placeholderDelayMs)
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
  children?: ComponentChildren
}

/** Text for an empty view: one sentence, and what to do about it. */
export function Empty({ icon, title, children }: EmptyProps) {
  return (
    <div class="empty">
      <Icon name={icon} size={24} />
      <h2>{title}</h2>
      {children}
    </div>
  )
}

/** Error of a failed read, in the server's words. If there was no answer, the page retries by itself. */
export function Failed({ error, onRetry }: { error: ApiError; onRetry: () => void }) {
  if (error.status === 0) return <p class="muted">{words.noAnswerYet}</p>
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

/** Data of a resource, shown by `children`; a placeholder of the given height before, and the error if a read failed. */
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
