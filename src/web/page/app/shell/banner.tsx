import { useState } from 'preact/hooks'
import { isDemo } from '../../api/page-settings.ts'
import { IconButton } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'

const key = 'nines.demo-banner'

/** Note that explains the demo, until it is closed in this browser. */
export function DemoBanner() {
  const [isClosed, setClosed] = useState(() => localStorage.getItem(key) !== null)
  if (!isDemo || isClosed) return null
  const close = () => {
    localStorage.setItem(key, 'closed')
    setClosed(true)
  }
  return (
    <div class="demo-banner" role="note" aria-label="Demo">
      <Icon name="eye" />
      <p>
        <strong>This is a demo.</strong> The shop and its outages are made up, and nothing leaves this machine. What you
        change is kept in the data folder. To start without it: <code>nines serve</code> with another{' '}
        <code>DATA_DIR</code>, or <code>SOURCE_URL=http://prometheus:9090 npm start</code>.
      </p>
      <IconButton icon="x" label="Close the note on the demo" small onClick={close} />
    </div>
  )
}
