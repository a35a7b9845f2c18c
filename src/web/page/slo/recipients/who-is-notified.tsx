import type { Recipients } from '../../api/history.ts'
import { useResource } from '../../api/use-resource.ts'
import { link } from '../../address/base.ts'
import { Nobody } from './nobody.tsx'
import { causeTitle, isNobody, listedCauses, reasonOf, type Recipient } from './recipients.ts'

type Teams = { teams: { id: number; name: string }[] }
type Named = { id: number; name: string }

type Props = {
  recipients: Pick<Recipients, 'causes' | 'channels'>
  canBeDown: boolean
}

/** Channels that are notified of each kind of alert of an SLO, and why; if there are none, what mends that. */
export function WhoIsNotified({ recipients: { causes, channels }, canBeDown }: Props) {
  const hasTeams = causes.some(({ recipients }) => recipients.some(({ selector }) => selector?.team_id !== undefined))
  const teams = useResource<Teams>('/organization/teams', hasTeams).value.value?.teams ?? []
  if (isNobody(causes)) return <Nobody />
  return (
    <table class="rows recipients">
      <caption class="hidden-text">Who is notified</caption>
      <thead>
        <tr>
          <th scope="col">Of what</th>
          <th scope="col">Who, and why</th>
        </tr>
      </thead>
      <tbody>
        {listedCauses(causes, canBeDown).map((cause) => (
          <tr key={`${cause.alert_type} ${cause.severity}`}>
            <th scope="row">{causeTitle(cause)}</th>
            <td data-label="Who, and why">
              {cause.recipients.length === 0 ? (
                <span class="muted">nobody</span>
              ) : (
                <ul>
                  {cause.recipients.map((one) => (
                    <li key={one.channel_id}>
                      <Who of={one} channels={channels} teams={teams} />
                    </li>
                  ))}
                </ul>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
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
