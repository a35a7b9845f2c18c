import type { ComponentChildren } from 'preact'
import { Icon, type IconName } from './icon.tsx'
import { Popover } from './popover.tsx'

/** A menu item: an action, or one of several values with `isChosen`. */
export type Choice = {
  label: string
  icon?: IconName
  isChosen?: boolean
  onChoose: () => void
  /** Reason why it cannot be chosen. */
  unavailable?: string | undefined
}

type Props = {
  label: string
  button: ComponentChildren
  choices: Choice[]
  /** True to omit the arrow, if the button's own icon shows that it opens a list. */
  isBare?: boolean
}

/** A button that opens a menu; arrow keys move, Enter chooses, Escape closes. */
export function Menu({ label, button, choices, isBare = false }: Props) {
  return (
    <Popover
      role="menu"
      class="menu"
      label={label}
      trigger={(attributes) => (
        <button type="button" class="button plain" {...attributes}>
          {button}
          {!isBare && <Icon name="chevron-down" size={14} />}
        </button>
      )}
    >
      <MenuItems choices={choices} />
    </Popover>
  )
}

/** Items of a menu; choosing an action closes its popover. */
export function MenuItems({ choices }: { choices: readonly Choice[] }) {
  return (
    <>
      {choices.map(({ label, icon, isChosen, onChoose, unavailable }) => (
        <button
          type="button"
          key={label}
          role={isChosen === undefined ? 'menuitem' : 'menuitemcheckbox'}
          aria-checked={isChosen}
          aria-disabled={unavailable !== undefined || undefined}
          title={unavailable}
          onKeyDown={moveFocus}
          onClick={(event) => {
            if (unavailable !== undefined) return
            if (isChosen === undefined) event.currentTarget.closest<HTMLElement>('[popover]')?.hidePopover()
            onChoose()
          }}
        >
          {icon ? (
            <Icon name={icon} />
          ) : (
            isChosen !== undefined && <span class="tick">{isChosen && <Icon name="check" />}</span>
          )}
          <span>{label}</span>
        </button>
      ))}
    </>
  )
}

/** Moves the focus between the buttons of a list by Up, Down, Home and End. */
export function moveFocus(event: KeyboardEvent): void {
  const here = event.currentTarget as HTMLElement
  const all = [...(here.parentElement?.querySelectorAll<HTMLElement>('button, a') ?? [])]
  const at = all.indexOf(here)
  const to = { ArrowDown: at + 1, ArrowUp: at - 1 + all.length, Home: 0, End: all.length - 1 }[event.key]
  if (to === undefined) return
  event.preventDefault()
  all[to % all.length]?.focus()
}
