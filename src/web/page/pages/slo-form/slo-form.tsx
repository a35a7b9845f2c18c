import { useLocation, useRoute } from 'preact-iso/router'
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { Alerting, Rules } from '../../api/history.ts'
import { useAsk } from '../../api/ask.ts'
import type { Picks, Slo, Source } from '../../api/types.ts'
import { useRead } from '../../api/use-read.ts'
import { Button } from '../../ui/button.tsx'
import { chunk } from '../../ui/chunk.tsx'
import { Skeleton } from '../../ui/read.tsx'
import { NotFound, Page } from '../../ui/page.tsx'
import { readFields } from '../../address/fields.ts'
import { formFields } from '../../address/new-slo.ts'
import { definitionOfAddress, type Draft, draftOfAddress, draftOfSlo } from './draft.ts'
import { Editor } from './editor.tsx'
import type { Definition } from './picks/picks.ts'
import { DraftNote } from './save/draft-note.tsx'
import { deleteStoredDraft, storeDraft, readStoredDraft } from './save/stored-draft.ts'
import { burnRateRuleSeverities } from './fields/own-rules.ts'
import { type AlertingSettings, standardAlerting } from './save/save.ts'
import { copyName } from './words.ts'
import { editLabel } from '../../ui/named-words.ts'

// a journey is an SLO over other SLOs, with a form of its own
const JourneyForm = chunk(async () => (await import('../../journey/journey.tsx')).JourneyForm, 240)
const EditJourney = chunk(async () => (await import('../../journey/edit-journey.tsx')).EditJourney, 240)

type Sources = { sources: Source[] }

/** Form of a new SLO, or of an existing one. */
export function SloFormPage() {
  const { params } = useRoute()
  const { url } = useLocation()
  const sources = useRead<Sources>('/tsdb/sources')
  if (sources.error.value && !sources.value.value) {
    return <Page title={params.id === undefined ? 'New SLO' : 'Edit'} heading={null} read={sources} />
  }
  const known = sources.value.value?.sources
  if (params.id !== undefined) {
    const id = Number(params.id)
    return Number.isSafeInteger(id) && id > 0 ? <EditSlo key={id} id={id} sources={known} /> : <NotFound />
  }
  const query = url.split('?')[1] ?? ''
  const { copy } = readFields(formFields, query)
  return copy === undefined ? (
    <NewSlo key={query} query={query} sources={known} />
  ) : (
    <CopySlo id={copy} sources={known} />
  )
}

function NewSlo({ query, sources, copied }: { query: string; sources: Source[] | undefined; copied?: Draft }) {
  const address = useMemo(() => readFields(formFields, query), [])
  const queries = copied || address.kind === 'promql' ? null : definitionOfAddress(address)
  const { answer, error } = useAsk<Definition, { picks: Picks | null }>(queries, {
    path: '/slos/picks',
    firstAfterMs: 0,
  })
  const isRead = queries === null || answer.value !== null || error.value !== null
  const initial = useMemo(() => copied ?? draftOfAddress(address, answer.value?.picks ?? null), [isRead])
  const stored = useMemo(() => readStoredDraft(null), [])
  const [isJourney, setJourney] = useState(false)
  if (!sources || !isRead) return <Loading title="New SLO" />
  const isPrefilled = query !== ''
  if (isJourney) return <JourneyForm />
  return (
    <Editor
      slo={null}
      initial={initial}
      startingDraft={stored && !isPrefilled ? stored.draft : initial}
      storedAlerting={standardAlerting}
      sources={sources}
      note={(start) => (
        <>
          {stored && <DraftNote stored={stored} isShown={!isPrefilled} initial={initial} onStart={start} />}
          {!isPrefilled && (
            <p>
              <Button small onClick={() => setJourney(true)}>
                A journey of SLOs
              </Button>{' '}
              <span class="muted">combines SLOs that are there</span>
            </p>
          )}
        </>
      )}
    />
  )
}

/** Form of a new SLO that starts as a copy. */
function CopySlo({ id, sources }: { id: number; sources: Source[] | undefined }) {
  const slo = useRead<Slo>(`/slos/${id}`)
  if (slo.error.value?.status === 404) return <NotFound />
  if (!slo.value.value) return <Loading title="New SLO" />
  if (slo.value.value.composite) return <JourneyForm />
  const original = draftOfSlo(slo.value.value)
  return <NewSlo query={`copy=${id}`} sources={sources} copied={{ ...original, name: copyName(original.name ?? '') }} />
}

function EditSlo({ id, sources }: { id: number; sources: Source[] | undefined }) {
  const slo = useRead<Slo>(`/slos/${id}`)
  const alerting = useRead<Alerting>(`/slos/${id}/alerting`)
  const rules = useRead<Rules>(`/notifications/rules?slo_id=${id}&page_size=100`)
  const [version, setVersion] = useState(0)
  const [isFresh, setFresh] = useState(false) // what was read before the form was opened may be outdated
  const readings = [slo, alerting, rules]
  const readAll = () => Promise.all(readings.map(({ read }) => read()))
  useEffect(() => void readAll().then(() => setFresh(true)), [])
  const name = slo.value.value?.name
  const title = name === undefined ? 'Edit' : editLabel(name)
  if (slo.error.value?.status === 404) return <NotFound />
  const failed = readings.find(({ value, error }) => error.value && !value.value)
  if (failed) return <Page title={title} heading={null} read={failed} />
  if (!isFresh || !slo.value.value || !alerting.value.value || !rules.value.value || !sources) {
    return <Loading title={title} />
  }
  if (slo.value.value.composite) return <EditJourney slo={slo.value.value} />
  return (
    <Edit
      key={version}
      slo={slo.value.value}
      alerting={alerting.value.value}
      rules={rules.value.value}
      sources={sources}
      onReload={async (draft) => {
        await readAll()
        const failed = readings.find(({ error }) => error.value)
        if (failed) throw failed.error.value
        if (draft) storeDraft(id, draft, null)
        else deleteStoredDraft(id)
        setVersion((version) => version + 1)
      }}
    />
  )
}

/** Form with the SLO as it was when opened. A change by somebody else is found on saving. */
function Edit(props: {
  slo: Slo
  alerting: Alerting
  rules: Rules
  sources: Source[]
  onReload: (draft: Draft | null) => Promise<void>
}) {
  const { slo, storedAlerting, initial, stored, isShown } = useMemo(() => {
    const storedAlerting = alertingSettingsOf(props.alerting, props.rules)
    const { tiers, thresholds } = storedAlerting
    const initial = {
      ...draftOfSlo(props.slo),
      tiers,
      thresholds,
      notify: burnRateRuleSeverities(storedAlerting.rules),
    }
    const stored = readStoredDraft(props.slo.id)
    // a draft of an older version of the SLO is only offered: saving it would revert changes of others
    const isShown = stored !== null && (stored.basis ?? props.slo.updated_at) === props.slo.updated_at
    return { slo: props.slo, storedAlerting, initial, stored, isShown }
  }, [])
  return (
    <Editor
      slo={slo}
      initial={initial}
      startingDraft={isShown && stored ? stored.draft : initial}
      storedAlerting={storedAlerting}
      sources={props.sources}
      onReload={props.onReload}
      note={(start) => stored && <DraftNote stored={stored} isShown={isShown} initial={initial} onStart={start} />}
    />
  )
}

function alertingSettingsOf(alerting: Alerting, rules: Rules): AlertingSettings {
  const tiers = alerting.burn_rate_tiers.map(
    ({ severity, long_window, short_window, factor, min_events, enabled }) => ({
      severity,
      long_window,
      short_window,
      factor,
      min_events,
      enabled,
    }),
  )
  return {
    tiers: alerting.burn_rate_tiers_are_standard ? null : tiers,
    thresholds: alerting.budget_thresholds_are_standard ? null : alerting.budget_thresholds,
    rules: rules.data,
  }
}

function Loading({ title }: { title: string }) {
  return (
    <Page title={title}>
      <Skeleton heightPx={240} lines={2} />
    </Page>
  )
}
