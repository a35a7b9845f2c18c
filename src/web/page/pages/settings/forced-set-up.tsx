import { send } from '../../api/client.ts'
import { signOut, updateMe } from '../../api/session.ts'
import type { User } from '../../api/types.ts'
import { SetUp } from '../../second-factor/set-up.tsx'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { useTitle } from '../../ui/title.ts'
import { words } from '../../words.ts'

const title = 'Set up a second factor'

/** Page that a user gets instead of all others until a second factor is set up, if the organization requires one. */
export function ForcedSetUp() {
  useTitle(title)
  const refreshing = useAction(async () => updateMe(await send<User>('GET', '/auth/me')))
  return (
    <main class="account">
      <p class="brand">{words.product}</p>
      <div class="card">
        <h1>{title}</h1>
        <p>Your organization requires one of everybody who signs in with a password.</p>
        <SetUp onDone={() => refreshing.run()} />
        <div class="below">
          <Button kind="quiet" onClick={() => void signOut()}>
            Sign out
          </Button>
        </div>
      </div>
    </main>
  )
}
