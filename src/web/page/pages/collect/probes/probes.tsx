import { useRead } from '../../../api/use-read.ts'
import { useLocation } from 'preact-iso/router'
import { send } from '../../../api/client.ts'
import { invalidate } from '../../../api/resource.ts'
import { whyNot } from '../../../api/rights.ts'
import { link } from '../../../address/base.ts'
import { attempt } from '../../../ui/action.ts'
import { createProbeSlo } from '../../../slo/first-slo.ts'
import { pauseAndDelete } from '../parts/choices.ts'
import { Confirm } from '../parts/confirm.tsx'
import { HealthFacts, stateOf } from '../parts/health.tsx'
import { Item } from '../parts/item.tsx'
import { List, listEveryMs } from '../parts/list.tsx'
import { Runs } from '../parts/runs.tsx'
import { reasonAfter } from '../parts/trouble.ts'
import type { Probe, Trial } from '../types.ts'
import { FoundOut } from './findings.tsx'
import { bodyOfProbe, draftOfProbe, hasSecrets } from './probe-draft.ts'
import { ProbeTrial } from './probe-trial.tsx'
import { answersName } from './words.ts'
import { noSloMadeText } from '../parts/words.ts'

const path = '/embedded/probes'

/** List of the probes with their results. */
export function Probes() {
  const probes = useRead<{ probes: Probe[] }>(path, { everyMs: listEveryMs })
  return (
    <>
      <List
        of={probes}
        items={(value) => value.probes}
        about="nines checks these from where it runs. Each run is stored as samples: whether it succeeded, and how long its phases took."
        addButtons={[
          { label: 'New HTTP check', path: '/collect/probes?new=http' },
          { label: 'Ping', path: '/collect/probes?new=icmp' },
          { label: 'TCP', path: '/collect/probes?new=tcp' },
          { label: 'DNS', path: '/collect/probes?new=dns' },
        ]}
        empty={{
          icon: 'radar',
          title: 'Nothing is checked yet',
          text: 'A check requests a URL, pings a host, connects to a port or resolves a name, and says whether that succeeded.',
        }}
      >
        {(probe) => <OneProbe key={probe.id} probe={probe} />}
      </List>
      <Confirm />
    </>
  )
}

function OneProbe({ probe }: { probe: Probe }) {
  const { route } = useLocation()
  const { id, name, type, target, labels, health, is_active } = probe
  const recreateBody = hasSecrets(probe) ? null : bodyOfProbe(draftOfProbe(probe, 'http'))
  const makeSlo = async () => {
    const sloId = await createProbeSlo(answersName(name), labels['job'] ?? name)
    invalidate('/slos')
    route(link(`/slos/${sloId}`))
  }
  return (
    <Item
      name={name}
      state={stateOf(probe)}
      place={`${type === 'icmp' ? 'ping' : type} ${target}`}
      labels={labels}
      strip={<Runs of={health.recent} />}
      tryLabel="Try now"
      onTry={async () => <ProbeTrial of={await send<Trial>('POST', `${path}/${id}/test`, { body: {} })} />}
      edit={`/collect/probes?edit=${id}`}
      choices={[
        {
          label: 'Make an SLO of it',
          icon: 'trending-up',
          unavailable: whyNot('edit'),
          onChoose: () => void attempt(makeSlo, { failed: reasonAfter(noSloMadeText(name)) }),
        },
        ...pauseAndDelete(
          { name, list: path, id, recreateBody },
          is_active,
          'Its credentials and the values of its headers',
        ),
      ]}
    >
      <HealthFacts health={health} of={probe} />
      {health.findings && <FoundOut of={health.findings} />}
    </Item>
  )
}
