import { useLocation } from 'preact-iso/router'
import { useCallback, useEffect, useMemo } from 'preact/hooks'
import { resource, use } from '../../api/resource.ts'
import { whyNot } from '../../api/rights.ts'
import { signOut } from '../../api/session.ts'
import type { Overview } from '../../api/types.ts'
import { base, link } from '../../address/base.ts'
import { entryOf, listed } from '../../address/routes.ts'
import { openSilence } from '../../silence/request.ts'
import { copyLink } from '../../ui/copy.tsx'
import { Combobox, type Option } from '../../ui/combobox.tsx'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { OverlayDialog } from '../overlay-dialog.tsx'
import { closeOverlay, overlay } from '../overlay.ts'
import { StateShape } from '../../slo/state.tsx'
import { shownState, states } from '../../slo/states.ts'
import { findSlos, contextOf } from './palette-options.ts'
import { chooseTheme } from '../../ui/theme-choice.ts'

const path = '/slos/overview'

/** Command palette: SLOs, pages and actions by name. */
export function Palette() {
  const { route } = useLocation()
  const overview = useMemo(() => resource<Overview>(path), [])
  useEffect(() => {
    const release = use(overview)
    if (overview.value.peek() === undefined) void overview.read()
    return release
  }, [overview])
  const slos = overview.value.value?.slos
  const find = useCallback(
    (text: string) => {
      const { found, more } = findSlos(slos ?? [], text)
      const to = (address: string) => () => {
        closeOverlay()
        route(link(address))
      }
      const ofSlos = found.map((slo): Option => ({
        key: `slo-${slo.id}`,
        group: 'SLOs',
        label: slo.name,
        detail: [states[shownState(slo)].label, contextOf(slo)].filter(Boolean).join(' · '),
        icon: <StateShape state={slo.state} />,
        onChoose: to(`/slos/${slo.id}`),
      }))
      const pages = listed
        .filter((section) => !('access' in section) || !whyNot(section.access))
        .map((section) => {
          const group = section.menu === 'action' ? 'Actions' : 'Pages'
          return option(group, section.label, section.icon, to(entryOf(section)))
        })
      const others = [...pages, ...actions()].filter(({ label }) =>
        label.toLowerCase().includes(text.trim().toLowerCase()),
      )
      return text.trim() === '' ? { options: [...others, ...ofSlos], more } : { options: [...ofSlos, ...others], more }
    },
    [slos, route],
  )
  return (
    <OverlayDialog label="Search or jump" class="palette">
      <Combobox
        label="Search or jump"
        placeholder="SLO, label, page or action"
        find={find}
        nothing={slos === undefined ? 'The SLOs are not there yet.' : 'Nothing is called that.'}
      />
    </OverlayDialog>
  )
}

function actions(): Option[] {
  const afterClosing = (work: () => void) => () => {
    closeOverlay()
    work()
  }
  const address = location.href
  return [
    option(
      'Pages',
      'API reference',
      'file-text',
      afterClosing(() => open(`${base}/docs`, '_blank', 'noopener')),
    ),
    ...(whyNot('edit')
      ? []
      : [
          option(
            'Actions',
            'Silence…',
            'bell-off',
            afterClosing(() => openSilence({ sloId: sloHere() })),
          ),
        ]),
    option(
      'Actions',
      'Copy the link to this page',
      'link',
      afterClosing(() => void copyLink(address)),
    ),
    option(
      'Actions',
      'Light theme',
      'sun',
      afterClosing(() => chooseTheme('light')),
    ),
    option(
      'Actions',
      'Dark theme',
      'moon',
      afterClosing(() => chooseTheme('dark')),
    ),
    option(
      'Actions',
      'Theme of the system',
      'monitor',
      afterClosing(() => chooseTheme('system')),
    ),
    option('Actions', 'Keys', 'keyboard', () => (overlay.value = 'keys')),
    option(
      'Actions',
      'Sign out',
      'log-out',
      afterClosing(() => void signOut()),
    ),
  ]
}

/** Id of the SLO whose page is shown. */
function sloHere(): number | undefined {
  const id = /^\/slos\/(\d+)/.exec(location.pathname.slice(base.length))?.[1]
  return id === undefined ? undefined : Number(id)
}

function option(group: string, label: string, icon: IconName, onChoose: () => void): Option {
  return { key: `${group} ${label}`, group, label, icon: <Icon name={icon} />, onChoose }
}
