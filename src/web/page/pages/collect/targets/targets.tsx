import { useRead } from '../../../api/use-read.ts'
import { send } from '../../../api/client.ts'
import { pauseAndDelete } from '../parts/choices.ts'
import { Confirm } from '../parts/confirm.tsx'
import { HealthFacts, stateOf } from '../parts/health.tsx'
import { Item } from '../parts/item.tsx'
import { List, listEveryMs } from '../parts/list.tsx'
import { Runs } from '../parts/runs.tsx'
import type { Target, Trial } from '../types.ts'
import { bodyOfTarget, draftOfTarget } from './target-draft.ts'
import { TargetTrial } from './target-trial.tsx'

const path = '/embedded/targets'

/** List of the scrape targets with their health. */
export function Targets() {
  const targets = useRead<{ targets: Target[] }>(path, { everyMs: listEveryMs })
  return (
    <>
      <List
        of={targets}
        items={(value) => value.targets}
        about="nines scrapes these by itself, as a Prometheus does, and keeps the samples in the embedded source."
        addButtons={[{ label: 'New metrics endpoint', path: '/collect/targets?new' }]}
        empty={{
          icon: 'radar',
          title: 'Nothing is scraped yet',
          text: 'A service that exposes metrics for Prometheus, or a node exporter, needs a URL only.',
        }}
      >
        {(target) => <OneTarget key={target.id} target={target} />}
      </List>
      <Confirm />
    </>
  )
}

function OneTarget({ target }: { target: Target }) {
  const { id, name, url, labels, health, is_active, auth } = target
  const recreateBody = auth === null ? bodyOfTarget(draftOfTarget(target)) : null
  return (
    <Item
      name={name}
      state={stateOf(target)}
      place={url}
      labels={labels}
      strip={<Runs of={health.recent} />}
      tryLabel="Try now"
      onTry={async () => <TargetTrial of={await send<Trial>('POST', `${path}/${id}/test`, { body: {} })} />}
      edit={`/collect/targets?edit=${id}`}
      choices={pauseAndDelete({ name, list: path, id, recreateBody }, is_active, 'Its credentials')}
    >
      <HealthFacts health={health} of={target} />
    </Item>
  )
}
