import type { ComponentChildren } from 'preact'
import { type State, words } from '../words.ts'

const shapes: Record<State, ComponentChildren> = {
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

/** Shape of a state, hidden from screen readers. A stale state loses its colour. */
export function StatusShape({ state, stale = false, size = 16 }: { state: State; stale?: boolean; size?: number }) {
  return (
    <svg class={`shape ${stale ? 'stale' : state}`} viewBox="0 0 16 16" width={size} height={size} aria-hidden="true">
      {shapes[state]}
    </svg>
  )
}

/** A state with its shape and label. */
export function Status({ state, word, stale = false }: { state: State; word?: string; stale?: boolean }) {
  return (
    <span class={`status ${stale ? 'stale' : state}`}>
      <StatusShape state={state} stale={stale} />
      <span>{word ?? words.states[state]}</span>
    </span>
  )
}
