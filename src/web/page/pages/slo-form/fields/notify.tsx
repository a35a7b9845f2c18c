import { useResource } from '../../../api/use-resource.ts'
import type { Rules } from '../../../api/history.ts'
import { link } from '../../../address/base.ts'
import type { Notified } from '../draft.ts'
import type { Form } from '../form-state.ts'

type Channels = { data: { id: number; name: string; enabled: boolean }[] }

const notified: Record<string, Notified> = { all: null, page: 'page', ticket: 'ticket' }

/** Channels for burn-rate alerts, saved as rules of the SLO; its other rules are listed. */
export function NotifyFields({ form, rules }: { form: Form; rules: Rules['data'] }) {
  const { draft, change } = form
  const channels = useResource<Channels>('/notifications/channels').value.value?.data
  if (!channels) return null
  const chosen = Object.keys(draft.notify).length
  const others = rules.filter(({ alert_type, enabled }) => alert_type !== 'burn_rate_too_fast' && enabled)
  const set = (id: number, of: Notified | undefined) => {
    const { [id]: _, ...rest } = draft.notify
    change({ notify: of === undefined ? rest : { ...rest, [id]: of } })
  }
  return (
    <fieldset class="notify-fields">
      <legend class="pick-label">Notify</legend>
      {channels.length === 0 ? (
        <p class="hint">
          There is no channel yet, so nobody is notified. <a href={link('/notify/channels')}>Add a channel</a>
        </p>
      ) : (
        <ul>
          {channels.map(({ id, name, enabled }) => {
            const of = draft.notify[id]
            return (
              <li key={id}>
                <label class="check">
                  <input
                    type="checkbox"
                    checked={of !== undefined}
                    onChange={(event) => set(id, event.currentTarget.checked ? null : undefined)}
                  />
                  {name}
                  {!enabled && <span class="muted"> switched off</span>}
                </label>
                {of !== undefined && (
                  <select
                    aria-label={`What ${name} is notified of`}
                    value={of ?? 'all'}
                    onChange={(event) => set(id, notified[event.currentTarget.value] ?? null)}
                  >
                    <option value="all">pages and tickets</option>
                    <option value="page">pages</option>
                    <option value="ticket">tickets</option>
                  </select>
                )}
              </li>
            )
          })}
        </ul>
      )}
      {others.length > 0 && (
        <p class="hint">
          Further rules: {others.map(({ alert_type, channel }) => `${alert_type} to ${channel.name}`).join(', ')}.
        </p>
      )}
      {channels.length > 0 && chosen === 0 && others.length === 0 && (
        <p class="hint">Nobody is notified of its alerts.</p>
      )}
    </fieldset>
  )
}
