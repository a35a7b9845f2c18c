import { send } from '../../../api/client.ts'
import type { RuleGroup } from '../../../api/history.ts'
import { invalidate } from '../../../api/resource.ts'
import { whyNot } from '../../../api/rights.ts'
import { link } from '../../../address/base.ts'
import { formatDuration } from '../../../format.ts'
import { attempt } from '../../../ui/action.ts'
import { Button } from '../../../ui/button.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Menu } from '../../../ui/menu.tsx'
import { capitalized } from '../../../incidents/alert-words.ts'
import { selectorWords } from '../../../slo/recipients/recipients.ts'
import { bodyOf, kindOf, namesText, priorityWord, selfMonitoringAlertType } from './rule-words.ts'

const maxNames = 3

type Named = { id: number; name: string }

type Props = {
  group: RuleGroup
  slos: readonly Named[]
  isAll: boolean
  teams: readonly Named[]
  unavailable: string | undefined
  onEdit: () => void
}

/** A group of rules with the same settings: its alerts, its channel and its SLOs. */
export function RuleRow({ group, slos, isAll, teams, unavailable, onEdit }: Props) {
  const isOfNines = group.alert_type === selfMonitoringAlertType
  const title = kindOf(group)
  const isOff = (isOfNines ? whyNot('administer') : undefined) ?? unavailable
  return (
    <tr>
      <th scope="row">
        {title}
        {!group.enabled && <span class="muted"> · switched off: not notified</span>}
      </th>
      <td data-label="Channel">
        <span>
          {group.channel_name}
          {!group.channel_enabled && <span class="muted"> · switched off</span>}
        </span>
      </td>
      <td data-label="SLOs">{isOfNines ? '–' : <Slos of={group.selector} {...{ slos, isAll, teams }} />}</td>
      <td data-label="Priority">{priorityWord(group.priority)}</td>
      <td data-label="At most every">
        {group.min_interval_seconds === 0 ? '–' : formatDuration(group.min_interval_seconds)}
      </td>
      <td class="row-actions">
        <div>
          {!isOfNines && (
            <Button small unavailable={isOff} aria-label={`Edit ${title}, ${group.channel_name}`} onClick={onEdit}>
              Edit
            </Button>
          )}
          <Menu
            label={`More of ${title}, ${group.channel_name}`}
            isBare
            button={
              <>
                <Icon name="ellipsis" />
                <span class="hidden-text">
                  More of {title}, {group.channel_name}
                </span>
              </>
            }
            choices={[
              {
                label: group.enabled ? 'Switch off' : 'Switch on',
                icon: group.enabled ? 'bell-off' : 'bell',
                unavailable: isOff,
                onChoose: () => {
                  const enabled = !group.enabled
                  void change(group, () => store({ ...group, enabled }), `switched ${enabled ? 'on' : 'off'}`)
                },
              },
              {
                label: 'Delete',
                icon: 'trash-2',
                unavailable: isOff,
                onChoose: () => void change(group, () => remove(group), 'deleted'),
              },
            ]}
          />
        </div>
      </td>
    </tr>
  )
}

/** SLOs that notify by a rule now, after the selector that selects them. */
export function Slos({
  of,
  slos,
  isAll,
  teams,
}: { of: RuleGroup['selector'] } & Pick<Props, 'slos' | 'isAll' | 'teams'>) {
  const number = slos.length === 1 ? '1 SLO' : `${slos.length} SLOs`
  const now = slos.length === 0 ? 'none now' : `${number} now`
  const whole = isAll && slos.length > 1 ? `All ${number}` : number
  const selected = of && (of.labels ? selectorWords(of, teams) : capitalized(selectorWords(of, teams)))
  const count = selected === null ? whole : of?.all && isAll ? selected : `${selected}: ${now}`
  if (slos.length === 0) return <span>{count}</span>
  return (
    <details class="covered">
      <summary>
        <strong>{count}</strong>{' '}
        <span class="muted">
          {namesText(
            slos.map(({ name }) => name),
            maxNames,
          )}
        </span>
      </summary>
      <ul>
        {slos.map(({ id, name }) => (
          <li key={id}>
            <a href={link(`/slos/${id}/alerting`)}>{name}</a>
          </li>
        ))}
      </ul>
    </details>
  )
}

/** Stores a group for its SLOs. Rules for nines itself are stored one by one. */
async function store(group: RuleGroup): Promise<void> {
  if (group.alert_type !== selfMonitoringAlertType) {
    await send('PUT', '/notifications/rules', { body: bodyOf(group, group.slo_ids) })
  } else {
    const { channel_id, alert_type, priority, max_retries, min_interval_seconds, enabled } = group
    const body = { channel_id, alert_type, priority, max_retries, min_interval_seconds, enabled, notify: false }
    await send('POST', '/notifications/rules', { body })
  }
}

async function remove({ by, channel_id, alert_type, slo_ids, rule_ids }: RuleGroup): Promise<void> {
  if (by === 'selector' || slo_ids.length === 0) {
    for (const id of rule_ids) await send('DELETE', `/notifications/rules/${id}`)
  } else {
    const body = { channel_id, alert_type, slo_ids: [], remove_slo_ids: slo_ids }
    await send('PUT', '/notifications/rules', { body })
  }
}

/** Changes a group, reads the rules again and shows the outcome; undo stores the group as it was. `done`: the change in words. */
async function change(group: RuleGroup, work: () => Promise<void>, done: string): Promise<void> {
  const shared = { failed: 'Not changed.', ended: () => invalidate('/notifications/') }
  await attempt(work, {
    ...shared,
    done: `${kindOf(group)}, ${group.channel_name}: ${done}.`,
    undo: () => attempt(() => store(group), { ...shared, done: 'Taken back.' }),
  })
}
