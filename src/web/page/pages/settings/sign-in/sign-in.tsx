import { registration } from '../../../api/page-settings.ts'

const registrations = {
  open: 'Anybody may register, and gets an organization of their own.',
  invite: 'Only who was invited may register.',
  closed: 'Nobody may register.',
}

/** Ways in which people come in. */
export function SignIn() {
  return (
    <section class="card section" aria-label="Sign-in">
      <h2>Who comes in how</h2>
      <dl class="facts">
        <div>
          <dt>With</dt>
          <dd>E-mail and password</dd>
        </div>
        <div>
          <dt>New accounts</dt>
          <dd>
            {registrations[registration]} <span class="muted">REGISTRATION</span>
          </dd>
        </div>
      </dl>
    </section>
  )
}
