import type { IconName } from './icon-names.ts'

export type { IconName }

const sprite = document.querySelector<HTMLMetaElement>('meta[name="icons"]')?.content ?? ''

/** An icon beside a text that says the same, or in a button that has a label: never alone, so it is hidden from readers. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg class="icon" width={size} height={size} aria-hidden="true">
      <use href={`${sprite}#${name}`} />
    </svg>
  )
}
