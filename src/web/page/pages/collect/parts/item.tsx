import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { link } from '../../../address/base.ts'
import { whyNot } from '../../../api/rights.ts'
import { useAction } from '../../../ui/action.ts'
import { Button, LinkButton } from '../../../ui/button.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { type Choice, Menu } from '../../../ui/menu.tsx'
import { Status, type Tone } from '../../../ui/status.tsx'
import { errorText } from './trouble.ts'
import { moreLabel } from '../../../ui/named-words.ts'
import { trialLabel } from './words.ts'

/** `trial`: the result; `problem`: the reason why the trial failed. */
type Tried = { trial: ComponentChildren } | { problem: string }

type Props = {
  name: string
  state: { state: Tone; word: string }
  /** Address or place of the item. */
  place: string
  labels?: Record<string, string>
  children: ComponentChildren
  strip?: ComponentChildren
  /** Tries the item now; gives the presented result. */
  onTry: () => Promise<ComponentChildren>
  tryLabel: string
  /** Path of the form; absent if it has none. */
  edit?: string
  choices: Choice[]
}

/** A source, target or probe: its state and facts, and the possible actions. */
export function Item({ name, state, place, labels = {}, children, strip, onTry, tryLabel, edit, choices }: Props) {
  const [tried, setTried] = useState<Tried>()
  const tryNow = useAction(
    () =>
      onTry().then(
        (trial) => ({ trial }),
        (error: unknown) => ({ problem: errorText(error) }),
      ),
    { next: setTried },
  )
  return (
    <li class="card collected" aria-label={name}>
      <div class="collected-head">
        <h2>{name}</h2>
        <Status state={state.state} word={state.word} />
        {strip}
      </div>
      <div class="collected-actions">
        <Button small icon="refresh-cw" isBusy={tryNow.isBusy} unavailable={whyNot('administer')} onClick={tryNow.run}>
          {tryLabel}
        </Button>
        {edit !== undefined && (
          <LinkButton small href={link(edit)}>
            Edit
          </LinkButton>
        )}
        <Menu
          label={moreLabel(name)}
          isBare
          button={
            <>
              <Icon name="ellipsis" />
              <span class="hidden-text">{moreLabel(name)}</span>
            </>
          }
          choices={choices}
        />
      </div>
      <p class="collected-at">
        <code>{place}</code>
        {Object.entries(labels).map(([label, value]) => (
          <span key={label} class="label">
            {label}={value}
          </span>
        ))}
      </p>
      <div class="collected-facts">{children}</div>
      {tried && (
        <section class="trial" aria-label={trialLabel(name)} role="status">
          {'problem' in tried ? <p class="problem">{tried.problem}</p> : tried.trial}
        </section>
      )}
    </li>
  )
}
