import type { ComponentChildren } from 'preact'
/** Severity of a state; it has one colour everywhere. */
export type Tone = 'healthy' | 'warning' | 'critical' | 'unknown'

const shapes: Record<Tone, ComponentChildren> = {
  healthy: (
    <>
      <circle cx="8" cy="8" r="6.25" fill="none" stroke="currentColor" stroke-width="1.5" />
      <path
        d="m5.2 8.2 2 2 3.6-4"
        fill="none"
        stroke="currentColor"
        stroke-width="1.5"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    </>
  ),
  warning: (
    <>
      <path d="M8 1.9 15 14H1Z" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linejoin="round" />
      <path d="M8 6.4v3.4m0 1.9v.1" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" />
    </>
  ),
  critical: (
    <>
      <path d="M5.2 1h5.6L15 5.2v5.6L10.8 15H5.2L1 10.8V5.2Z" fill="currentColor" />
      <path d="M8 4.4v4.2m0 2.7v.1" stroke="var(--on-crit)" stroke-width="1.8" stroke-linecap="round" />
    </>
  ),
  unknown: (
    <>
      <circle cx="8" cy="8" r="6.25" fill="none" stroke="currentColor" stroke-width="1.5" stroke-dasharray="2.6 2.3" />
      <path
        d="M6.3 6.4a1.75 1.75 0 1 1 2.6 1.5c-.6.35-.9.7-.9 1.3m0 1.9v.1"
        fill="none"
        stroke="currentColor"
        stroke-width="1.5"
        stroke-linecap="round"
      />
    </>
  ),
}

/** A shape of 16 by 16 in the colour of a severity, hidden from screen readers. */
export function Shape({
  tone,
  size = 16,
  children,
}: {
  tone: Tone | 'stale'
  size?: number
  children: ComponentChildren
}) {
  return (
    <svg class={`shape ${tone}`} viewBox="0 0 16 16" width={size} height={size} aria-hidden="true">
      {children}
    </svg>
  )
}

/** Shape of a severity, hidden from screen readers. A stale one loses its colour. */
export function StatusShape({ state, stale = false, size = 16 }: { state: Tone; stale?: boolean; size?: number }) {
  return (
    <Shape tone={stale ? 'stale' : state} size={size}>
      {shapes[state]}
    </Shape>
  )
}

/** A word with the shape and colour of its severity. */
export function Status({ state, word, stale = false }: { state: Tone; word: string; stale?: boolean }) {
  return (
    <span class={`status ${stale ? 'stale' : state}`}>
      <StatusShape state={state} stale={stale} />
      <span>{word}</span>
    </span>
  )
}
