import { useLocation, useRoute } from 'preact-iso/router'
import type { ComponentType } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { base, link } from '../../address/base.ts'
import { queryOf } from '../../address/url.ts'
import { useTitle } from '../../ui/title.ts'
import { NotFound } from '../../ui/not-found.tsx'
import { ProbeForm } from './probes/probe-form.tsx'
import { Probes } from './probes/probes.tsx'
import { SourceForm } from './sources/source-form.tsx'
import { Sources } from './sources/sources.tsx'
import { Storage } from './storage/storage.tsx'
import { TargetForm } from './targets/target-form.tsx'
import { Targets } from './targets/targets.tsx'

type View = { label: string; list: ComponentType; form?: ComponentType<{ id: number | null }>; one?: string }

/** Views by the last segment of their address. */
const views: Record<string, View> = {
  sources: { label: 'Sources', list: Sources, form: SourceForm, one: 'source' },
  probes: { label: 'Checks', list: Probes, form: ProbeForm, one: 'check' },
  targets: { label: 'Metrics endpoints', list: Targets, form: TargetForm, one: 'metrics endpoint' },
  storage: { label: 'Storage', list: Storage },
}

/** Sources, checks (probes), metrics endpoints (scrape targets) and storage. `?new` and `?edit=ID` open the form of a view. */
export function CollectPage() {
  const { params } = useRoute()
  const { url } = useLocation()
  const name = params.view ?? ''
  const view = Object.hasOwn(views, name) ? views[name] : undefined
  const edited = queryOf(url, 'edit')
  const isForm = view?.form !== undefined && (edited !== '' || new URLSearchParams(url.split('?')[1]).has('new'))
  const isGood = edited === '' || /^[1-9]\d{0,14}$/.test(edited)
  const heading = useRef<HTMLHeadingElement>(null)
  const wasForm = useRef(isForm)
  useEffect(() => {
    if (wasForm.current && !isForm) heading.current?.focus({ preventScroll: true }) // a form focuses itself
    wasForm.current = isForm
  }, [isForm])
  const title = !view ? '' : !isForm ? view.label : edited === '' ? `New ${view.one}` : `Edit a ${view.one}`
  useTitle(title === '' ? undefined : title)
  if (!view || !isGood) return <NotFound />
  const Form = isForm ? view.form : undefined
  const List = view.list
  return (
    <div class="page collect">
      <header class="page-head">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
      </header>
      <Views />
      {Form ? <Form key={edited} id={edited === '' ? null : Number(edited)} /> : <List />}
    </div>
  )
}

function Views() {
  const { path } = useLocation()
  return (
    <nav class="views" aria-label="What nines collects">
      {Object.entries(views).map(([view, { label }]) => (
        <a
          key={view}
          href={link(`/collect/${view}`)}
          aria-current={path === `${base}/collect/${view}` ? 'page' : undefined}
        >
          {label}
        </a>
      ))}
    </nav>
  )
}
