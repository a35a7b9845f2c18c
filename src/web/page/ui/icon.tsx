import type { IconName } from './icon-names.ts'

export type { IconName }

const sprite = document.querySelector<HTMLMetaElement>('meta[name="icons"]')?.content ?? ''

/** An icon, hidden from screen readers: it always has a text with the same meaning next to it, or is in a labelled button. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg class="icon" width={size} height={size} aria-hidden="true">
      <use href={`${sprite}#${name}`} />
    </svg>
  )
}
