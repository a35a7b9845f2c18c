import type { Recipients } from '../../api/history.ts'
import { useRead } from '../../api/use-read.ts'
import { link } from '../../address/base.ts'
import { Table } from '../../ui/table.tsx'
import { Nobody } from './nobody.tsx'
import { causeTitle, isNobody, listedCauses, reasonOf, type Recipient } from './recipients.ts'

type Teams = { teams: { id: number; name: string }[] }
type Named = { id: number; name: string }

type Props = {
  recipients: Pick<Recipients, 'causes' | 'channels'>
  canBeDown: boolean
}

/** Channels that are notified of each kind of alert of an SLO, and why; if there are none, a warning with a button that changes that. */
export function WhoIsNotified({ recipients: { causes, channels }, canBeDown }: Props) {
  const hasTeams = causes.some(({ recipients }) => recipients.some(({ selector }) => selector?.team_id !== undefined))
  const teams = useRead<Teams>('/organization/teams', { when: hasTeams }).value.value?.teams ?? []
  if (isNobody(causes)) return <Nobody />
  return (
    <Table
      class="recipients"
      caption="Who is notified"
      columns={[
        { head: 'Of what', cell: causeTitle },
        {
          head: 'Who, and why',
          cell: ({ recipients }) =>
            recipients.length === 0 ? (
              <span class="muted">nobody</span>
            ) : (
              <ul>
                {recipients.map((one) => (
                  <li key={one.channel_id}>
                    <Who of={one} channels={channels} teams={teams} />
                  </li>
                ))}
              </ul>
            ),
        },
      ]}
      rows={listedCauses(causes, canBeDown)}
      rowKey={({ alert_type, severity }) => `${alert_type} ${severity}`}
    />
  )
}

function Who({ of, channels, teams }: { of: Recipient; channels: readonly Named[]; teams: readonly Named[] }) {
  const reason = reasonOf(of, teams)
  const place = of.by === 'default' ? `/notify/channels?edit=${of.channel_id}` : `/notify/rules?edit=${of.rule_id}`
  return (
    <>
      {channels.find(({ id }) => id === of.channel_id)?.name}{' '}
      <span class="muted">
        · {of.by !== 'default' && of.rule_id === null ? reason : <a href={link(place)}>{reason}</a>}
      </span>
    </>
  )
}
