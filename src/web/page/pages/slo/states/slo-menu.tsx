import { useLocation } from 'preact-iso/router'
import { ApiError, send } from '../../../api/client.ts'
import { invalidate } from '../../../api/resource.ts'
import { whyNot } from '../../../api/rights.ts'
import type { Slo } from '../../../api/types.ts'
import { link } from '../../../address/base.ts'
import { now } from '../../../clock.ts'
import { attempt, useAction } from '../../../ui/action.ts'
import { Button } from '../../../ui/button.tsx'
import { copyLink } from '../../../ui/copy.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { loadCode } from '../../../ui/lazy.ts'
import { Menu } from '../../../ui/menu.tsx'
import { fixedAddress } from '../over-time/range.ts'
import { sloDeletedText, sloNotDeletedText, sloNotRestoredText } from './words.ts'

/** Menu of actions for an SLO. */
export function SloMenu({ slo }: { slo: Slo }) {
  const { route } = useLocation()
  const remove = async () => {
    await send('DELETE', `/slos/${slo.id}`)
    invalidate('/slos')
    route(link('/'))
  }
  const undo = () =>
    attempt(() => restore(slo).then(() => route(link(`/slos/${slo.id}`))), { failed: notRestored(slo) })
  return (
    <Menu
      label="More"
      isBare
      button={
        <>
          <Icon name="ellipsis" />
          <span class="hidden-text">More</span>
        </>
      }
      choices={[
        {
          label: 'Copy link',
          icon: 'link',
          onChoose: () => void copyLink(fixedAddress(location.href, slo.time_window, now())),
        },
        ...(slo.active
          ? [
              {
                label: slo.paused ? 'Resume' : 'Pause',
                icon: slo.paused ? ('play' as const) : ('pause' as const),
                unavailable: whyNot('edit'),
                onChoose: async () =>
                  (await loadCode(() => import('../../../slo/bulk-change.ts'))).setPaused([slo], !slo.paused),
              },
              {
                label: 'Delete',
                icon: 'trash-2' as const,
                unavailable: whyNot('edit'),
                onChoose: () =>
                  void attempt(remove, {
                    done: sloDeletedText(slo.name),
                    undo,
                    failed: (error) => sloNotDeletedText(textOf(error)),
                  }),
              },
            ]
          : []),
      ]}
    />
  )
}

/** Button that restores a deleted SLO. */
export function RestoreButton({ slo, onRestored }: { slo: Slo; onRestored: () => void }) {
  const { run, isBusy } = useAction(() => restore(slo), { failed: notRestored(slo), next: onRestored })
  return (
    <Button small icon="undo-2" unavailable={whyNot('edit')} isBusy={isBusy} onClick={run}>
      Restore
    </Button>
  )
}

async function restore({ id }: Slo): Promise<void> {
  await send('PUT', `/slos/${id}`, { body: { active: true } })
  invalidate('/slos')
}

const notRestored = (slo: Slo) => (error: unknown) => sloNotRestoredText(slo.name, textOf(error))

function textOf(error: unknown): string {
  if (!(error instanceof ApiError)) return String(error)
  return [error.message, error.details].filter(Boolean).join(': ')
}
