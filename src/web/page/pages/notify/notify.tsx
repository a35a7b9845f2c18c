import { useRoute } from 'preact-iso/router'
import type { ComponentType } from 'preact'
import { routes } from '../../address/routes.ts'
import { chunk } from '../../ui/chunk.tsx'
import { NotFound, Page, tabsOf } from '../../ui/page.tsx'

const viewHeightPx = 480

const views = routes.notify.views
type View = keyof typeof views

const parts: Record<View, ComponentType> = {
  channels: chunk(async () => (await import('./channels/channels.tsx')).ChannelsView, viewHeightPx),
  rules: chunk(async () => (await import('./rules/rules.tsx')).RulesView, viewHeightPx),
  templates: chunk(async () => (await import('./templates/templates.tsx')).TemplatesView, viewHeightPx),
  history: chunk(async () => (await import('./history/history.tsx')).HistoryView, viewHeightPx),
  silences: chunk(async () => (await import('./silences/silences.tsx')).SilencesView, viewHeightPx),
}

/** Channels, rules, templates, history and silences. */
export function NotifyPage() {
  const { params } = useRoute()
  const view = params.view ?? ''
  return Object.hasOwn(views, view) ? <OneView key={view} view={view as View} /> : <NotFound />
}

function OneView({ view }: { view: View }) {
  const Part = parts[view]
  return (
    <Page title={views[view]} class="notify" views={{ label: 'Views of Notify', tabs: tabsOf(views, '/notify') }}>
      <Part />
    </Page>
  )
}
