import { ofDeliveries } from '../../../api/live-reads.ts'
import type { Channels, Coverage, RuleGroup } from '../../../api/history.ts'
import { whyNot } from '../../../api/rights.ts'
import { useRead } from '../../../api/use-read.ts'
import { link } from '../../../address/base.ts'
import { formatDuration, list, plural } from '../../../format.ts'
import { Button, LinkButton } from '../../../ui/button.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Empty, Read } from '../../../ui/read.tsx'
import { type Column, Table } from '../../../ui/table.tsx'
import { text, useAddress } from '../../../address/fields.ts'
import { RuleForm } from './rule-form.tsx'
import { RuleActions, RuleTitle, Slos } from './rule-cells.tsx'
import { defaultGroups, isOfNines, priorityWord } from './rule-words.ts'
import { rulesOfTitle } from './words.ts'

const maxNames = 5

/**
 * `new`: `1` opens the form of a new rule, `uncovered` that for the SLOs that notify nobody; `edit`: id of a rule to change; `slo`: id of
 * the SLO that a new rule is for; `channel`: id of the channel whose rules are listed.
 */
const ruleFields = { new: text, edit: text, slo: text, channel: text }

/** List of the rules by channel, kind of alert and SLOs, and of the SLOs without a rule. */
export function RulesView() {
  const coverage = useRead<Coverage>('/notifications/rules/coverage', { live: ofDeliveries })
  const channels = useRead<Channels>('/notifications/channels', { live: ofDeliveries })
  return (
    <Read of={coverage} heightPx={240}>
      {(value) => (
        <Read of={channels} heightPx={240}>
          {({ data }) => <Rules coverage={value} channels={data} />}
        </Read>
      )}
    </Read>
  )
}

function Rules({ coverage, channels }: { coverage: Coverage; channels: Channels['data'] }) {
  const { fields, to, go: change } = useAddress(ruleFields)
  const unavailable = whyNot('edit')
  const teams = useTeams(coverage.groups)
  const go = (changes: { new?: string; edit?: string }, replace = false) =>
    change({ new: '', edit: '', slo: '', ...changes }, { replace })
  const close = () => go({}, true)
  const { channel: channelId, new: newRule, edit, slo } = fields
  const listed = coverage.groups.filter(({ channel_id }) => channelId === '' || String(channel_id) === channelId)
  const groups = listed.filter(({ by }) => by !== 'default')
  const defaults = defaultGroups(listed)
  const edited = coverage.groups.find(({ rule_ids }) => rule_ids.some((id) => String(id) === edit))
  const namedIds = coverage.slos.flatMap(({ id }) => (String(id) === slo ? [id] : []))
  const idsForNewRule = newRule === 'uncovered' ? coverage.uncovered : namedIds
  const addButton = (
    <Button kind="primary" unavailable={unavailable} onClick={() => go({ new: '1' })}>
      New rule
    </Button>
  )
  if (channels.length === 0) {
    return (
      <Empty icon="bell-off" title="No rule yet: alerts are seen here alone">
        <p>A rule connects the alerts of SLOs with a channel. Make a channel first.</p>
        <LinkButton kind="primary" href={link('/notify/channels?new=choose')}>
          New channel
        </LinkButton>
      </Empty>
    )
  }
  return (
    <>
      <Uncovered coverage={coverage} unavailable={unavailable} onCover={() => go({ new: 'uncovered' })} />
      <section class="card section">
        <div class="split">
          {channelId === '' ? (
            <p class="muted">{countText(groups.length, defaults.length)}</p>
          ) : (
            <h2>{rulesOfTitle(channels.find(({ id }) => String(id) === channelId)?.name)}</h2>
          )}
          <div class="head-actions">
            {channelId !== '' && <a href={to({ channel: '' })}>All rules</a>}
            {addButton}
          </div>
        </div>
        <List
          groups={[...defaults, ...groups]}
          {...{ coverage, teams, unavailable }}
          onEdit={(id) => go({ edit: String(id) })}
        />
      </section>
      {(newRule !== '' || edited) && (
        <RuleForm
          key={edited ? `edit-${edited.rule_ids[0]}` : `new-${newRule}`}
          group={edited}
          chosen={edited?.slo_ids ?? idsForNewRule}
          preferred={Number(channelId)}
          {...{ coverage, channels, teams, unavailable }}
          onClose={close}
        />
      )}
    </>
  )
}

type Teams = readonly { id: number; name: string }[]

/** Teams of the organization; empty unless a rule selects one or a form is open. */
function useTeams(groups: readonly RuleGroup[]): Teams {
  const { fields } = useAddress(ruleFields)
  const isShown = groups.some(({ selector }) => selector?.team_id !== undefined)
  const isForm = fields.new !== '' || fields.edit !== ''
  return useRead<{ teams: Teams }>('/organization/teams', { when: isShown || isForm }).value.value?.teams ?? []
}

function countText(rules: number, defaults: number): string {
  const every = plural(defaults, '# channel for every SLO', '# channels for every SLO')
  const own = plural(rules, '# rule', '# rules')
  if (defaults === 0) return own
  return rules === 0 ? every : `${every}, ${own}`
}

function Uncovered(props: { coverage: Coverage; unavailable: string | undefined; onCover: () => void }) {
  const { coverage, unavailable, onCover } = props
  const { slos, uncovered } = coverage
  if (uncovered.length === 0) {
    return slos.length === 0 ? null : (
      <p class="notice unknown">
        {plural(slos.length, 'The SLO notifies at least one channel.', 'All # SLOs notify at least one channel.')}
      </p>
    )
  }
  const names = slos.filter(({ id }) => uncovered.includes(id)).map(({ name }) => name)
  return (
    <div class="notice warning uncovered">
      <p class="with-icon">
        <Icon name="bell-off" />
        <span>
          <strong>{plural(names.length, '# SLO notifies nobody', '# SLOs notify nobody')}</strong>:{' '}
          {list(names, maxNames)}.
        </span>
      </p>
      <Button small unavailable={unavailable} onClick={onCover}>
        {plural(names.length, 'Notify for this one', 'Notify for these')}
      </Button>
    </div>
  )
}

type ListProps = {
  groups: RuleGroup[]
  coverage: Coverage
  teams: Teams
  unavailable: string | undefined
  onEdit: (ruleId: number) => void
}

function List({ groups, coverage, teams, unavailable, onEdit }: ListProps) {
  const names = new Map(coverage.slos.map(({ id, name }) => [id, name]))
  const columns: Column<RuleGroup>[] = [
    { head: 'Notified of', cell: (group) => <RuleTitle of={group} /> },
    {
      head: 'Channel',
      cell: ({ channel_name, channel_enabled }) => (
        <span>
          {channel_name}
          {!channel_enabled && <span class="muted"> · switched off</span>}
        </span>
      ),
    },
    { head: 'SLOs', cell: (group) => (isOfNines(group) ? '–' : <Slos of={group} names={names} teams={teams} />) },
    { head: 'Priority', cell: ({ priority }) => priorityWord(priority) },
    {
      head: 'At most every',
      cell: ({ min_interval_seconds: seconds }) => (seconds === 0 ? '–' : formatDuration(seconds)),
    },
  ]
  return (
    <Table
      class="rules"
      caption="Rules"
      columns={columns}
      rows={groups}
      rowKey={({ by, channel_id, rule_ids }) => (by === 'default' ? `channel-${channel_id}` : (rule_ids[0] ?? 0))}
      actions={(group) => (
        <RuleActions of={group} unavailable={unavailable} onEdit={() => onEdit(group.rule_ids[0] ?? 0)} />
      )}
      empty={
        coverage.groups.length === 0 ? 'No rule yet: no channel is notified of any alert.' : 'This channel has no rule.'
      }
    />
  )
}
