import { useState } from 'preact/hooks'
import { isDemo } from '../../api/page-settings.ts'
import type { User } from '../../api/types.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { DemoTour, startTour } from './demo-tour.tsx'
import { UpgradeLine } from './upgrade-line.tsx'
import { ownServicesSentence } from './words.ts'

const key = 'nines.demo-banner'

/** Lines above the pages, until they are closed: that this is a demo, with the tour, and that nines was upgraded. */
export function Lines({ user: { upgrade } }: { user: User }) {
  return (
    <>
      {isDemo && <Note />}
      {isDemo && <DemoTour />}
      {upgrade && <UpgradeLine of={upgrade} />}
    </>
  )
}

function Note() {
  const [isClosed, setClosed] = useState(() => localStorage.getItem(key) !== null)
  const [isOpen, setOpen] = useState(false)
  if (isClosed) return null
  const close = () => {
    localStorage.setItem(key, 'closed')
    setClosed(true)
  }
  return (
    <div class="demo-banner" role="note" aria-label="Demo">
      <div class="line">
        <Icon name="eye" />
        <strong>Demo with made-up data</strong>
        <Button kind="quiet" small aria-expanded={isOpen} aria-controls="about-demo" onClick={() => setOpen(!isOpen)}>
          About
        </Button>
        <Button kind="quiet" small onClick={startTour}>
          Tour
        </Button>
        <span class="spring" />
        <IconButton icon="x" label="Close the note on the demo" small onClick={close} />
      </div>
      <p id="about-demo" hidden={!isOpen}>
        The shop, its past and its outages are made up, and nothing leaves this machine: messages go to a receiver
        inside the demo. What you change is kept in the data folder.{' '}
        {ownServicesSentence(<code>nines</code>, <code>demo</code>)}
      </p>
    </div>
  )
}
