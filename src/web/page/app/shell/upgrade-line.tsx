import { useLocation } from 'preact-iso/router'
import { link } from '../../address/base.ts'
import { send } from '../../api/client.ts'
import { updateMe } from '../../api/session.ts'
import type { User } from '../../api/types.ts'
import { useAction } from '../../ui/action.ts'
import { IconButton } from '../../ui/button.tsx'
import { upgradedSentence } from './words.ts'

/** Line that says that nines was upgraded, with a link to what is new, until this administrator closes it. */
export function UpgradeLine({ of: { from, to } }: { of: NonNullable<User['upgrade']> }) {
  const { query } = useLocation()
  const close = useAction(
    async () => {
      await send('POST', '/organization/system/whats-new/close')
      updateMe(await send<User>('GET', '/auth/me'))
    },
    { failed: 'The line was not closed.' },
  )
  return (
    <div class="banner new" role="note" aria-label="Upgrade">
      <span>
        {upgradedSentence(from, to)}{' '}
        {!('whats-new' in query) && <a href={link('/settings/system?whats-new')}>What is new</a>}
      </span>
      <span class="spring" />
      <IconButton
        icon="x"
        label="Close the note on the upgrade"
        small
        isBusy={close.isBusy}
        onClick={() => close.run()}
      />
    </div>
  )
}
