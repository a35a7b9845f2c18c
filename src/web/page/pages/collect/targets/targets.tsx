import { send } from '../../../api/client.ts'
import { confirmFirst, Confirm } from '../parts/confirm.tsx'
import { HealthFacts, stateOf } from '../parts/health.tsx'
import { Item } from '../parts/item.tsx'
import { List } from '../parts/list.tsx'
import { change, remove } from '../parts/remove.ts'
import { unlessAdmin } from '../parts/rights.ts'
import { Runs } from '../parts/runs.tsx'
import { useList } from '../parts/use-list.ts'
import type { Target, Trial } from '../types.ts'
import { bodyOfTarget, draftOfTarget } from './target-draft.ts'
import { TargetTrial } from './target-trial.tsx'

const path = '/embedded/targets'

/** What nines scrapes, and how that goes. */
export function Targets() {
  const targets = useList<{ targets: Target[] }>(path)
  return (
    <>
      <List
        of={targets}
        items={(value) => value.targets}
        about="nines scrapes these by itself, as a Prometheus does, and keeps the samples in the embedded source."
        add={[{ label: 'New scrape target', path: '/collect/targets?new' }]}
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
  const unavailable = unlessAdmin()
  const again = auth === null ? bodyOfTarget(draftOfTarget(target)) : null
  const removeIt = () => void remove({ name, list: path, id, again })
  return (
    <Item
      name={name}
      state={stateOf(target)}
      at={url}
      labels={labels}
      strip={<Runs of={health.recent} />}
      tryLabel="Try now"
      onTry={async () => <TargetTrial of={await send<Trial>('POST', `${path}/${id}/test`, { body: {} })} />}
      edit={`/collect/targets?edit=${id}`}
      choices={[
        {
          label: is_active ? 'Pause' : 'Resume',
          unavailable,
          onChoose: () => void change(name, path, id, { is_active: !is_active }),
        },
        {
          label: 'Delete',
          icon: 'trash-2',
          unavailable,
          onChoose: () => {
            if (again !== null) return removeIt()
            confirmFirst({
              title: `Delete ${name}?`,
              text: 'Its credentials are stored here alone and go with it, so this cannot be undone. Its samples stay.',
              onYes: removeIt,
            })
          },
        },
      ]}
    >
      <HealthFacts health={health} of={target} />
    </Item>
  )
}
