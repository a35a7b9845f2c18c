import type { ComponentChildren } from 'preact'
import { useLocation } from 'preact-iso/router'
import { useEffect } from 'preact/hooks'
import { isDemo } from '../../api/page-settings.ts'
import { signOut } from '../../api/session.ts'
import type { User } from '../../api/types.ts'
import { base, link } from '../../address/base.ts'
import { entryOf, isAt, listed, routes } from '../../address/routes.ts'
import { chunk } from '../../ui/chunk.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Menu } from '../../ui/menu.tsx'
import { words } from '../../words.ts'
import { Notices, useReconnection } from './offline.tsx'
import { OpenIncidents } from './open-incidents.tsx'
import { Overlays, PaletteButton } from '../overlays.tsx'
import { showAttention } from './attention.ts'
import { StatusAnnouncer } from './status-announcer.tsx'
import { chooseTheme, theme } from '../../ui/theme-choice.ts'

const Lines = chunk(async () => (await import('./banner.tsx')).Lines, null)

export function Shell({ user, children }: { user: User; children: ComponentChildren }) {
  const { path, route } = useLocation()
  useReconnection()
  useEffect(showAttention, [])
  const here = path.slice(base.length) || '/'
  return (
    <div class="shell">
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <nav class="side" aria-label="Main">
        <a class="brand" href={link('/')}>
          <Mark /> {words.product}
        </a>
        <ul>
          {listed.map(
            (section) =>
              section.menu === 'side' && (
                <li key={section.path}>
                  <a href={link(entryOf(section))} aria-current={isAt(section, here) ? 'page' : undefined}>
                    <Icon name={section.icon} size={18} />
                    <span>{section.label}</span>
                    {section === routes.incidents && <OpenIncidents />}
                  </a>
                </li>
              ),
          )}
        </ul>
        <div class="spring" />
        <a href={`${base}/docs`} class="quiet" target="_blank" rel="noopener">
          <Icon name="file-text" size={18} />
          <span>API reference</span>
        </a>
      </nav>
      <header class="top">
        <a class="brand" href={link('/')}>
          <Mark /> {words.product}
        </a>
        <div class="spring" />
        <PaletteButton />
        <Menu
          label="Theme"
          button={
            <>
              <Icon name={theme.value === 'dark' ? 'moon' : theme.value === 'light' ? 'sun' : 'monitor'} />
              <span class="hidden-text">Theme</span>
            </>
          }
          choices={(['light', 'dark', 'system'] as const).map((value) => ({
            label: { light: 'Light', dark: 'Dark', system: 'As the system' }[value],
            isChosen: theme.value === value,
            onChoose: () => chooseTheme(value),
          }))}
        />
        <Menu
          label="Account"
          button={<span class="user-name">{user.name}</span>}
          choices={[
            ...listed
              .filter(({ menu }) => menu === 'account')
              .map((section) => ({ ...section, onChoose: () => route(link(entryOf(section))) })),
            { label: 'Sign out', icon: 'log-out', onChoose: () => void signOut() },
          ]}
        />
      </header>
      <Notices />
      <StatusAnnouncer path={here} />
      <main id="main" tabIndex={-1}>
        {(isDemo || user.upgrade) && <Lines user={user} />}
        {children}
      </main>
      <Overlays />
    </div>
  )
}

/** Logo of nines: three bars. */
function Mark() {
  return (
    <svg class="mark" viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
      <rect x="1" y="1" width="18" height="18" rx="5" fill="var(--accent)" />
      <path d="M6 13.5V9.5M10 13.5V6M14 13.5v-2" stroke="var(--on-accent)" stroke-width="2" stroke-linecap="round" />
    </svg>
  )
}
