import { send } from '../../../api/client.ts'
import { invalidate } from '../../../api/resource.ts'
import { whyNot } from '../../../api/rights.ts'
import { me, updateMe } from '../../../api/session.ts'
import type { Organization, User } from '../../../api/types.ts'
import { useAction } from '../../../ui/action.ts'
import { Button } from '../../../ui/button.tsx'
import { chooseTheme, theme } from '../../../ui/theme-choice.ts'
import { SelectField } from '../../../ui/form/select-field.tsx'
import { roleLabels } from '../words.ts'
import { EmailChange } from './email-change.tsx'
import { NameForm } from './name-form.tsx'
import { mailedText } from './words.ts'
import { ZoneForm } from './zone-form.tsx'

function NotConfirmed({ email }: { email: string }) {
  const { isBusy, run } = useAction(() => send('POST', '/auth/confirm-email/resend', { body: { email } }), {
    done: mailedText(email),
    failed: 'The link was not mailed again.',
  })
  return (
    <>
      <span class="muted">(not confirmed)</span>{' '}
      <Button small isBusy={isBusy} onClick={run}>
        Mail the link again
      </Button>
    </>
  )
}

/** Settings of the person, and for administrators the time of the organization. */
export function Account() {
  const user = me.value
  if (!user) return null
  const { organization } = user
  const hasOrganizationTime = organization.time_zone !== null || organization.clock !== null
  return (
    <>
      <section class="card section" aria-label="You">
        <h2>You</h2>
        <dl class="facts">
          <div>
            <dt>E-mail</dt>
            <dd>
              {user.email} {!user.email_confirmed && <NotConfirmed email={user.email} />}
            </dd>
          </div>
          <div>
            <dt>Role</dt>
            <dd>{roleLabels[user.role] ?? user.role}</dd>
          </div>
        </dl>
        <EmailChange />
        <NameForm key={user.name} of={user} />
        <div class="form">
          <SelectField
            label="Theme"
            hint="In this browser"
            value={theme.value}
            options={[
              ['light', 'Light'],
              ['dark', 'Dark'],
              ['system', 'As the system'],
            ]}
            onValue={chooseTheme}
          />
        </div>
      </section>
      <ZoneForm
        title="Your time"
        hint="Dates and times of all pages, for you alone, on every device."
        of={user}
        unset={hasOrganizationTime ? 'As the organization' : 'As the browser'}
        fallback={organization}
        onSave={async (chosen) => {
          const saved = await send<User>('PUT', '/auth/me', { body: chosen })
          updateMe(saved)
          return saved
        }}
      />
      {!whyNot('administer') && (
        <ZoneForm
          title="Time of the organization"
          hint="Messages are written in this zone, with UTC beside it. Pages too, for everybody who has chosen nothing else."
          of={organization}
          unset="UTC in messages, the browser’s on pages"
          unsetClock="24 h in messages, the browser’s on pages"
          fallback={{ time_zone: 'UTC', clock: '24h' }}
          onSave={async (chosen) => {
            const { time_zone, clock } = await send<Organization>('PUT', '/organization', { body: chosen })
            updateMe({ ...user, organization: { time_zone, clock } })
            invalidate('/organization')
            return { time_zone, clock }
          }}
        />
      )}
    </>
  )
}
