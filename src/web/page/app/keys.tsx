import { routes } from '../address/routes.ts'
import { IconButton } from '../ui/button.tsx'
import { words } from '../words.ts'
import { OverlayDialog } from './overlay-dialog.tsx'
import { closeOverlay } from './overlay.ts'
import { areKeysOn, switchKeys } from '../ui/shortcuts.ts'
import { goWords } from './words.ts'

const combinations: [keys: string[], effect: string][] = [
  [['Ctrl', 'K'], 'Search or jump'],
  [['Esc'], 'Close'],
]

const singleKeys: [keys: string[], effect: string][] = [
  [['/'], 'Filter'],
  [['?'], 'This list'],
  ...(Object.keys(goWords) as (keyof typeof goWords)[]).map((name): [string[], string] => [
    routes[name].keys.split(' '),
    goWords[name],
  ]),
  [['j'], 'Next row'],
  [['k'], 'Previous row'],
  [['Enter'], 'Open the row'],
  [['a'], 'Acknowledge an incident'],
  [['n'], 'New SLO, on the overview'],
  [['e'], 'Edit the SLO'],
  [['x'], 'Select the row'],
  [['s'], 'Silence an SLO'],
  [['t'], 'Next range of an SLO'],
  [['['], 'Earlier'],
  [[']'], 'Later'],
]

/** List of keyboard shortcuts, and the switch for single-key shortcuts. */
export function Keys() {
  return (
    <OverlayDialog label="Keys" class="keys">
      <header>
        <h2>Keys</h2>
        <IconButton icon="x" label={words.close} onClick={closeOverlay} />
      </header>
      <KeyList of={combinations} />
      <label class="keys-switch">
        <input
          type="checkbox"
          role="switch"
          checked={areKeysOn.value}
          onChange={(event) => switchKeys(event.currentTarget.checked)}
        />
        Single keys
      </label>
      <div class={areKeysOn.value ? '' : 'keys-off'}>
        <KeyList of={singleKeys} />
      </div>
      <p class="hint">Single keys do nothing while you type.</p>
    </OverlayDialog>
  )
}

function KeyList({ of }: { of: [keys: string[], effect: string][] }) {
  return (
    <dl>
      {of.map(([keys, effect]) => (
        <div key={effect}>
          <dt>
            {keys.map((key) => (
              <kbd key={key}>{key}</kbd>
            ))}
          </dt>
          <dd>{effect}</dd>
        </div>
      ))}
    </dl>
  )
}
