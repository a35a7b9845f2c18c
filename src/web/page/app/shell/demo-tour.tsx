import { signal } from '@preact/signals'
import { useLocation } from 'preact-iso/router'
import { useEffect, useRef } from 'preact/hooks'
import { link } from '../../address/base.ts'
import type { Overview } from '../../api/types.ts'
import { useRead } from '../../api/use-read.ts'
import { isBurning } from '../../slo/states.ts'
import { Button } from '../../ui/button.tsx'
import { stepWords } from './words.ts'

type Words = { title: string; text: string }
type Step = Words & {
  path: (overview: Overview | undefined) => string
  /** Words once nothing fails any more. */
  wordsAfterOutage?: Words
}

const steps: Step[] = [
  {
    title: 'What an SLO is',
    text: 'An SLO (service level objective) says how much of something has to work, for example “99.9 % of checkouts in 30 days”; the 0.1 % that may fail is its error budget. Each row of the overview is one: how it is now, what its budget has left, and its last 30 days.',
    path: () => '/',
  },
  {
    title: 'An outage that is going on',
    text: 'The checkout is failing right now. This page says since when, how fast that uses up the budget, and how long the rest lasts. Below is where the budget went before.',
    wordsAfterOutage: {
      title: 'After an outage',
      text: 'The checkout failed when the demo was made. This page says how it is now, how much of the budget is left, and how long that lasts. Below is where the budget went.',
    },
    path: (overview) => {
      const failed = overview?.slos.find(({ name }) => name === 'Checkout answers') ?? overview?.slos[0]
      return failed ? `/slos/${failed.id}` : '/'
    },
  },
  {
    title: 'Who is notified, and when',
    text: 'nines does not send a message for each error, but when errors use up the budget too fast, and again when it is over. Here are the outages of the last weeks, with the messages that were delivered.',
    path: () => '/incidents?range=30d',
  },
  {
    title: 'An SLO of your own',
    text: 'Choose what should work. The right half shows how the last 30 days would have been before you create anything.',
    path: () => '/slos/new',
  },
]

const key = 'nines.demo-tour'

/** Step of the tour, kept in this browser; null: it was skipped or ended. */
const current = signal<number | null>(storedStep())

/** True after the tour went to a step: its heading takes the focus, until it loses it. */
const takesFocus = signal(false)

function storedStep(): number | null {
  const value = localStorage.getItem(key)
  return value === 'ended' ? null : Math.min(Math.max(0, Number(value ?? 0) || 0), steps.length - 1)
}

function go(step: number | null): void {
  localStorage.setItem(key, step === null ? 'ended' : String(step))
  takesFocus.value = step !== null
  current.value = step
}

/** Begins the tour again. */
export const startTour = () => go(0)

/** A tour of the demo in four steps, above the page that each is about. It can be skipped. */
export function DemoTour() {
  const { route } = useLocation()
  const overview = useRead<Overview>('/slos/overview')
  const heading = useRef<HTMLHeadingElement>(null)
  const index = current.value
  useEffect(() => {
    if (index === null || !takesFocus.value) return
    heading.current?.focus()
    route(link(steps[index]?.path(overview.value.value) ?? '/'))
  }, [index])
  const step = index === null ? undefined : steps[index]
  if (index === null || !step) return null
  const slos = overview.value.value?.slos
  const isOver = slos !== undefined && !slos.some(({ state }) => isBurning(state))
  const { title, text } = (isOver && step.wordsAfterOutage) || step
  const isLast = index === steps.length - 1
  return (
    <section class="card demo-tour" aria-labelledby="demo-tour">
      <h2
        id="demo-tour"
        ref={heading}
        tabIndex={-1}
        autofocus={takesFocus.value}
        onBlur={() => (takesFocus.value = false)}
      >
        {title}
      </h2>
      <p>{text}</p>
      <footer>
        <span class="muted">{stepWords(index + 1, steps.length)}</span>
        <span class="spring" />
        {!isLast && (
          <Button kind="quiet" small onClick={() => go(null)}>
            Skip the tour
          </Button>
        )}
        {index > 0 && (
          <Button small onClick={() => go(index - 1)}>
            Back
          </Button>
        )}
        <Button kind="primary" small onClick={() => go(isLast ? null : index + 1)}>
          {isLast ? 'End the tour' : 'Next'}
        </Button>
      </footer>
    </section>
  )
}
