import { useLocation } from 'preact-iso/router'
import { useState } from 'preact/hooks'
import { ApiError, send } from '../../../api/client.ts'
import { invalidate } from '../../../api/resource.ts'
import { whyNot } from '../../../api/rights.ts'
import type { Slo } from '../../../api/types.ts'
import { link } from '../../../address/base.ts'
import { now } from '../../../clock.ts'
import { Button } from '../../../ui/button.tsx'
import { copyLink } from '../../../ui/copy.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { loaded } from '../../../ui/lazy.ts'
import { Menu } from '../../../ui/menu.tsx'
import { toast } from '../../../ui/toast.ts'
import { fixedAddress } from '../over-time/range.ts'

/** Menu of actions for an SLO. */
export function SloMenu({ slo }: { slo: Slo }) {
  const { route } = useLocation()
  const remove = async () => {
    try {
      await send('DELETE', `/slos/${slo.id}`)
    } catch (error) {
      return toast(`Not deleted: ${textOf(error)}`, { isProblem: true })
    }
    invalidate('/slos')
    route(link('/'))
    toast(`${slo.name}: deleted.`, {
      undo: async () => {
        if (await restore(slo)) route(link(`/slos/${slo.id}`))
      },
    })
  }
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
                  (await loaded(() => import('../../../slo/bulk-change.ts'))).setPaused([slo], !slo.paused),
              },
              {
                label: 'Delete',
                icon: 'trash-2' as const,
                unavailable: whyNot('edit'),
                onChoose: () => void remove(),
              },
            ]
          : []),
      ]}
    />
  )
}

/** Button that restores a deleted SLO. */
export function RestoreButton({ slo, onRestored }: { slo: Slo; onRestored: () => void }) {
  const [isBusy, setBusy] = useState(false)
  return (
    <Button
      small
      icon="undo-2"
      unavailable={whyNot('edit')}
      isBusy={isBusy}
      onClick={async () => {
        setBusy(true)
        if (await restore(slo)) onRestored()
        setBusy(false)
      }}
    >
      Restore
    </Button>
  )
}

async function restore(slo: Slo): Promise<boolean> {
  try {
    await send('PUT', `/slos/${slo.id}`, { body: { active: true } })
    invalidate('/slos')
    return true
  } catch (error) {
    toast(`${slo.name}: not restored. ${textOf(error)}`, { isProblem: true })
    return false
  }
}

function textOf(error: unknown): string {
  if (!(error instanceof ApiError)) return String(error)
  return [error.message, error.details].filter(Boolean).join(': ')
}
