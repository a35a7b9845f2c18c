import { send } from '../../../api/client.ts'
import type { RuleGroup } from '../../../api/history.ts'
import { invalidate } from '../../../api/resource.ts'
import { whyNot } from '../../../api/rights.ts'
import { link } from '../../../address/base.ts'
import { attempt } from '../../../ui/action.ts'
import { Button, LinkButton } from '../../../ui/button.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Menu } from '../../../ui/menu.tsx'
import { capitalized } from '../../../incidents/alert-words.ts'
import { selectorWords } from '../../../slo/recipients/recipients.ts'
import { bodyOf, isOfNines, kindOf } from './rule-words.ts'
import { list } from '../../../format.ts'
import { changedText, coveredWords, editRuleLabel, moreWords, type RuleChange } from './words.ts'

const maxNames = 3

/** Kind of the alerts of a group. */
export function RuleTitle({ of: group }: { of: RuleGroup }) {
  if (group.by === 'default') {
    return (
      <>
        Usual alerts <span class="muted">down, page, ticket, budget used up, up again</span>
      </>
    )
  }
  return (
    <>
      {kindOf(group)}
      {!group.enabled && <span class="muted"> · switched off: not notified</span>}
    </>
  )
}

type ActionsProps = { of: RuleGroup; unavailable: string | undefined; onEdit: () => void }

/** Buttons of a group of rules. A channel for every SLO has no rule: its button leads to the form of the channel. */
export function RuleActions({ of: group, unavailable, onEdit }: ActionsProps) {
  if (group.by === 'default') {
    return (
      <LinkButton small href={link(`/notify/channels?edit=${group.channel_id}`)}>
        Edit channel
      </LinkButton>
    )
  }
  const title = kindOf(group)
  const more = moreWords(title, group.channel_name)
  const whyUnavailable = (isOfNines(group) ? whyNot('administer') : undefined) ?? unavailable
  return (
    <>
      {!isOfNines(group) && (
        <Button
          small
          unavailable={whyUnavailable}
          aria-label={editRuleLabel(title, group.channel_name)}
          onClick={onEdit}
        >
          Edit
        </Button>
      )}
      <Menu
        label={more}
        isBare
        button={
          <>
            <Icon name="ellipsis" />
            <span class="hidden-text">{more}</span>
          </>
        }
        choices={[
          {
            label: group.enabled ? 'Switch off' : 'Switch on',
            icon: group.enabled ? 'bell-off' : 'bell',
            unavailable: whyUnavailable,
            onChoose: () => {
              const enabled = !group.enabled
              void change(group, () => store({ ...group, enabled }), enabled ? 'on' : 'off')
            },
          },
          {
            label: 'Delete',
            icon: 'trash-2',
            unavailable: whyUnavailable,
            onChoose: () => void change(group, () => remove(group), 'deleted'),
          },
        ]}
      />
    </>
  )
}

type SlosProps = { of: RuleGroup; names: ReadonlyMap<number, string>; teams: readonly { id: number; name: string }[] }

/** SLOs that a rule covers now, headed by its selector. `names`: of all SLOs, by id. */
export function Slos({ of: { selector, slo_ids: ids }, names, teams }: SlosProps) {
  const selected =
    selector && (selector.labels ? selectorWords(selector, teams) : capitalized(selectorWords(selector, teams)))
  const count = coveredWords({ count: ids.length, all: names.size, selected, isEvery: selector?.all === true })
  if (ids.length === 0) return <span>{count}</span>
  const nameOf = (id: number) => names.get(id) ?? ''
  return (
    <details class="covered">
      <summary>
        <strong>{count}</strong> <span class="muted">{list(ids.map(nameOf), maxNames)}</span>
      </summary>
      <ul>
        {ids.map((id) => (
          <li key={id}>
            <a href={link(`/slos/${id}/alerting`)}>{nameOf(id)}</a>
          </li>
        ))}
      </ul>
    </details>
  )
}

/** Stores the rules of a group: those of its SLOs at once, or the only rule of a channel for nines itself. */
async function store(group: RuleGroup): Promise<void> {
  if (!isOfNines(group)) {
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

/** Changes a group, reads the rules again and shows the outcome; undo stores the group as it was. */
async function change(group: RuleGroup, work: () => Promise<void>, done: RuleChange): Promise<void> {
  const shared = { failed: 'Not changed.', ended: () => invalidate('/notifications/') }
  await attempt(work, {
    ...shared,
    done: changedText(kindOf(group), group.channel_name, done),
    undo: () => attempt(() => store(group), { ...shared, done: 'Taken back.' }),
  })
}
