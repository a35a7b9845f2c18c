import type { ComponentChildren, RefObject } from 'preact'
import { useEffect } from 'preact/hooks'
import { ApiError } from '../../api/client.ts'
import { signOut } from '../../api/session.ts'
import { Button } from '../button.tsx'

/** State of a form, of `useForm`; or an action without fields, of `useAction`. */
export type Submitted = {
  run: () => unknown
  isBusy: boolean
  rest?: () => string | undefined
  problem?: string | undefined
  /** Error of the last run. */
  cause?: unknown
  element?: RefObject<HTMLFormElement | null>
}

type Props = {
  of: Submitted
  class?: string
  label?: string
  /** Label of the submit button. */
  action: string
  /** Look of the submit button; `hidden`: Enter sends the form, and a button elsewhere does. */
  look?: 'primary' | 'plain' | 'hidden'
  small?: boolean
  unavailable?: string | undefined
  /** Result above the buttons. */
  result?: ComponentChildren
  /** Further buttons. */
  more?: ComponentChildren
  children: ComponentChildren
}

/** Form in a page. The browser checks its fields before they are sent; problems of no field are above its buttons. */
export function Form({
  of,
  label,
  action,
  look = 'primary',
  small,
  unavailable,
  result,
  more,
  children,
  ...rest
}: Props) {
  const { element, isBusy } = of
  useEffect(() => element?.current?.querySelector<HTMLElement>('[autofocus]')?.focus(), [])
  const button =
    look === 'hidden' ? (
      <button type="submit" class="hidden-text" tabIndex={-1} aria-hidden="true">
        {action}
      </button>
    ) : (
      <Button kind={look} type="submit" small={small} isBusy={isBusy} unavailable={unavailable}>
        {action}
      </Button>
    )
  return (
    <form
      ref={element ?? null}
      class={rest.class}
      aria-label={label}
      onSubmit={(event) => submit(event, of, unavailable)}
    >
      {children}
      <OtherProblems of={of} />
      {result}
      {more ? (
        <div class="cluster">
          {button}
          {more}
        </div>
      ) : (
        button
      )}
    </form>
  )
}

/** Sends a form in place of the browser, unless there is a reason why it cannot be sent. */
export function submit(event: Event, { run }: Submitted, unavailable: string | undefined): void {
  event.preventDefault()
  if (unavailable === undefined) run()
}

/**
 * Problems that no field of a form has; stands after the fields. If what the form does needs a recent sign-in, there is a button that
 * signs out: the page then shows the sign-in, and comes back to this address.
 */
export function OtherProblems({ of: { rest, problem, cause } }: { of: Pick<Submitted, 'rest' | 'problem' | 'cause'> }) {
  const text = rest ? rest() : problem
  if (text === undefined) return null
  const mustSignInAgain = cause instanceof ApiError && cause.body['code'] === 'sign_in_again'
  return (
    <>
      <p class="problem" role="alert">
        {text}
      </p>
      {mustSignInAgain && (
        <p>
          <Button onClick={() => void signOut()}>Sign in again</Button>
        </p>
      )}
    </>
  )
}
