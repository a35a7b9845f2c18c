import type { RuleGroup } from '../../../api/history.ts'
import { link } from '../../../address/base.ts'
import { LinkButton } from '../../../ui/button.tsx'
import { Slos } from './rule-row.tsx'
import { priorityWord } from './rule-words.ts'

type Props = {
  /** Groups of one default channel, by cause. */
  groups: readonly RuleGroup[]
  names: ReadonlyMap<number, string>
}

/** Groups of each default channel. */
export function defaultGroups(groups: readonly RuleGroup[]): RuleGroup[][] {
  return [
    ...Map.groupBy(
      groups.filter(({ by }) => by === 'default'),
      ({ channel_id }) => channel_id,
    ).values(),
  ]
}

/** Row of a default channel, which is notified of every SLO without a rule. */
export function DefaultRow({ groups, names }: Props) {
  const [first] = groups
  if (!first) return null
  const ids = [...new Set(groups.flatMap(({ slo_ids }) => slo_ids))]
  return (
    <tr>
      <th scope="row">
        Usual alerts <span class="muted">down, page, ticket, budget used up, up again</span>
      </th>
      <td data-label="Channel">
        <span>
          {first.channel_name}
          {!first.channel_enabled && <span class="muted"> · switched off</span>}
        </span>
      </td>
      <td data-label="SLOs">
        <Slos
          of={{ all: true }}
          slos={ids.map((id) => ({ id, name: names.get(id) ?? '' }))}
          isAll={ids.length === names.size}
          teams={[]}
        />
      </td>
      <td data-label="Priority">{priorityWord(first.priority)}</td>
      <td data-label="At most every">–</td>
      <td class="row-actions">
        <div>
          <LinkButton small href={link(`/notify/channels?edit=${first.channel_id}`)}>
            Edit channel
          </LinkButton>
        </div>
      </td>
    </tr>
  )
}
