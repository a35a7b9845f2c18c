import { useRoute } from 'preact-iso/router'
import type { ComponentType } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { routes } from '../../address/routes.ts'
import { flag, id as idField, text, useAddress } from '../../address/fields.ts'
import { NotFound, Page, tabsOf } from '../../ui/page.tsx'
import { CertificateNotice } from './certificates/notice.tsx'
import { HeartbeatForm } from './heartbeats/heartbeat-form.tsx'
import { HeartbeatPage } from './heartbeats/heartbeat.tsx'
import { Heartbeats } from './heartbeats/heartbeats.tsx'
import { Ingestion } from './ingestion/ingestion.tsx'
import { ProbeForm } from './probes/probe-form.tsx'
import { Probes } from './probes/probes.tsx'
import { Senders } from './senders/senders.tsx'
import { SourceForm } from './sources/source-form.tsx'
import { Sources } from './sources/sources.tsx'
import { Storage } from './storage/storage.tsx'
import { TargetForm } from './targets/target-form.tsx'
import { Targets } from './targets/targets.tsx'

const views = routes.collect.views
type View = keyof typeof views

type Parts = {
  list: ComponentType
  form?: ComponentType<{ id: number | null }>
  titles?: { new: string; edit: string }
}

const parts: Record<View, Parts> = {
  sources: { list: Sources, form: SourceForm, titles: { new: 'New source', edit: 'Edit a source' } },
  probes: { list: Probes, form: ProbeForm, titles: { new: 'New check', edit: 'Edit a check' } },
  heartbeats: { list: Heartbeats, form: HeartbeatForm, titles: { new: 'New heartbeat', edit: 'Edit a heartbeat' } },
  targets: {
    list: Targets,
    form: TargetForm,
    titles: { new: 'New metrics endpoint', edit: 'Edit a metrics endpoint' },
  },
  senders: { list: Senders },
  storage: { list: Storage },
}

const formFields = { edit: text, new: flag, id: idField }

/** Sources, checks (probes), heartbeats, metrics endpoints (scrape targets), senders and storage. `?new` and `?edit=ID` open the form of a view. */
export function CollectPage() {
  const { params } = useRoute()
  const { edit: edited, new: isNew, id } = useAddress(formFields).fields
  const view = Object.hasOwn(views, params.view ?? '') ? (params.view as View) : undefined
  const { list: List, form, titles } = view ? parts[view] : {}
  const isForm = form !== undefined && (edited !== '' || isNew)
  const isValidId = edited === '' || /^[1-9]\d{0,14}$/.test(edited)
  const heading = useRef<HTMLHeadingElement>(null)
  const wasForm = useRef(isForm)
  useEffect(() => {
    if (wasForm.current && !isForm) heading.current?.focus({ preventScroll: true }) // a form focuses itself
    wasForm.current = isForm
  }, [isForm])
  if (!view || !List || !isValidId) return <NotFound />
  if (view === 'heartbeats' && id !== '' && !isForm) return <HeartbeatPage key={id} id={Number(id)} />
  const Form = isForm ? form : undefined
  return (
    <Page
      title={(isForm ? titles?.[edited === '' ? 'new' : 'edit'] : undefined) ?? views[view]}
      class="collect"
      views={{ label: 'What nines collects', tabs: tabsOf(views, '/collect') }}
      headingRef={heading}
    >
      {Form ? (
        <Form key={edited} id={edited === '' ? null : Number(edited)} />
      ) : (
        <>
          <Ingestion />
          <CertificateNotice />
          <List />
        </>
      )}
    </Page>
  )
}
