import type { ButtonHTMLAttributes, ComponentChildren } from 'preact'
import { Icon, type IconName } from './icon.tsx'

type Common = {
  kind?: 'primary' | 'plain' | 'quiet' | 'danger'
  icon?: IconName
  children?: ComponentChildren
  small?: boolean | undefined
}
type ButtonProps = Common &
  Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'icon' | 'type'> & {
    type?: 'button' | 'submit'
    /** Reason why the button is disabled; it stays focusable, so that the reason can be read. */
    unavailable?: string | undefined
    isBusy?: boolean
    popovertarget?: string
  }

export function Button({
  kind = 'plain',
  icon,
  children,
  small,
  unavailable,
  isBusy = false,
  type = 'button',
  onClick,
  ...rest
}: ButtonProps) {
  const isOff = unavailable !== undefined || isBusy
  return (
    <button
      {...rest}
      type={type}
      class={`button ${kind}${small ? ' small' : ''}`}
      aria-disabled={isOff || undefined}
      aria-busy={isBusy || undefined}
      title={unavailable ?? rest.title}
      onClick={(event) => {
        if (isOff) event.preventDefault()
        else onClick?.(event)
      }}
    >
      {icon && <Icon name={icon} />}
      {children !== undefined && <span>{children}</span>}
    </button>
  )
}

/** A button with only an icon; `label` is its accessible name and tooltip. */
export function IconButton({ icon, label, ...rest }: ButtonProps & { icon: IconName; label: string }) {
  return <Button {...rest} kind={rest.kind ?? 'quiet'} icon={icon} aria-label={label} title={label} data-icon-only />
}

/** A link styled as a button. */
export function LinkButton({ href, kind = 'plain', icon, children, small }: Common & { href: string }) {
  return (
    <a href={href} class={`button ${kind}${small ? ' small' : ''}`}>
      {icon && <Icon name={icon} />}
      <span>{children}</span>
    </a>
  )
}
