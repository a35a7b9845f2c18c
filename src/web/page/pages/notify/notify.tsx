import { useLocation, useRoute } from 'preact-iso/router'
import type { ComponentType } from 'preact'
import { link } from '../../address/base.ts'
import { chunk } from '../../ui/chunk.tsx'
import { useTitle } from '../../ui/title.ts'
import { NotFound } from '../../ui/not-found.tsx'

const viewHeightPx = 480

type View = { label: string; Part: ComponentType }

/** Views by the last segment of their address. */
const views: Record<string, View> = {
  channels: {
    label: 'Channels',
    Part: chunk(async () => (await import('./channels/channels.tsx')).ChannelsView, viewHeightPx),
  },
  rules: {
    label: 'Rules',
    Part: chunk(async () => (await import('./rules/rules.tsx')).RulesView, viewHeightPx),
  },
  templates: {
    label: 'Templates',
    Part: chunk(async () => (await import('./templates/templates.tsx')).TemplatesView, viewHeightPx),
  },
  history: {
    label: 'History',
    Part: chunk(async () => (await import('./history/history.tsx')).HistoryView, viewHeightPx),
  },
  silences: {
    label: 'Silences',
    Part: chunk(async () => (await import('./silences/silences.tsx')).SilencesView, viewHeightPx),
  },
}

/** Channels, rules, templates, history and silences. */
export function NotifyPage() {
  const { params } = useRoute()
  const name = params.view ?? ''
  const view = Object.hasOwn(views, name) ? views[name] : undefined
  return view ? <OneView key={name} view={view} /> : <NotFound />
}

function OneView({ view: { label, Part } }: { view: View }) {
  const { path } = useLocation()
  useTitle(label)
  return (
    <div class="page notify">
      <header class="page-head">
        <h1>{label}</h1>
      </header>
      <nav class="views" aria-label="Views of Notify">
        {Object.entries(views).map(([name, { label }]) => {
          const to = link(`/notify/${name}`)
          return (
            <a key={name} href={to} aria-current={path === to ? 'page' : undefined}>
              {label}
            </a>
          )
        })}
      </nav>
      <Part />
    </div>
  )
}
