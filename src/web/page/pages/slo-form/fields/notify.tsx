import { useRef } from 'preact/hooks'
import { useRead } from '../../../api/use-read.ts'
import type { Channels, Recipients, Rules } from '../../../api/history.ts'
import { bothSeverities, severityWords } from '../../../slo/recipients/recipients.ts'
import { WhoIsNotified } from '../../../slo/recipients/who-is-notified.tsx'
import { aboutOf, type Draft, type Notified } from '../draft.ts'
import type { Form } from '../form-state.ts'
import { hasOutages, recipientsOfDraft } from './own-rules.ts'
import { notifiedOfLabel } from '../words.ts'

const notifiedByOption: Record<string, Notified> = { all: null, page: 'page', ticket: 'ticket' }

type Props = {
  form: Form
  /** Rules that name the SLO. */
  rules: Rules['data']
}

/** Receivers of notifications of the SLO, and channels for its outages and burn-rate alerts, which are saved as rules of the SLO. */
export function NotifyFields({ form, rules }: Props) {
  const { draft, change } = form
  const channels = useRead<Channels>('/notifications/channels').value.value?.data
  const read = useRead<Recipients>(recipientsPath(draft)).value.value
  const inherited = useRef<Recipients>(undefined) // stays while the recipients for changed labels are read
  if (read) inherited.current = read
  if (!channels) return null
  const set = (id: number, of: Notified | undefined) => {
    const { [id]: _, ...rest } = draft.notify
    change({ notify: of === undefined ? rest : { ...rest, [id]: of } })
  }
  const canBeDown = hasOutages(draft)
  return (
    <fieldset class="notify-fields">
      <legend class="control-group-label">Who is notified</legend>
      {inherited.current && (
        <WhoIsNotified
          recipients={recipientsOfDraft(inherited.current, draft, rules, channels, canBeDown)}
          canBeDown={canBeDown}
        />
      )}
      {channels.length > 0 && (
        <>
          <p class="hint">{aloneWords(canBeDown)}</p>
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
                      aria-label={notifiedOfLabel(name)}
                      value={of ?? 'all'}
                      onChange={(event) => set(id, notifiedByOption[event.currentTarget.value] ?? null)}
                    >
                      <option value="all">{bothSeverities}</option>
                      <option value="page">{severityWords['page']}</option>
                      <option value="ticket">{severityWords['ticket']}</option>
                    </select>
                  )}
                </li>
              )
            })}
          </ul>
        </>
      )}
    </fieldset>
  )
}

function recipientsPath(draft: Draft): string {
  const { labels } = aboutOf(draft)
  const query = new URLSearchParams(Object.entries(labels).map(([name, value]) => ['label', `${name}:${value}`]))
  if (draft.teamId !== null) query.set('team_id', String(draft.teamId))
  return query.size === 0 ? '/slos/recipients' : `/slos/recipients?${query}`
}

function aloneWords(canBeDown: boolean): string {
  return canBeDown
    ? 'Notify of this SLO alone, when it is down or burns its budget too fast (tickets: not when it is down):'
    : 'Notify of this SLO alone, when it burns its budget too fast:'
}
