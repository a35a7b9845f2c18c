import { useLocation } from 'preact-iso/router'
import type { ComponentChildren } from 'preact'
import { useCallback, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { type ApiProblem, asApiError, send } from '../../api/client.ts'
import { invalidate } from '../../api/resource.ts'
import { whyNot } from '../../api/rights.ts'
import type { Slo, Source } from '../../api/types.ts'
import { link } from '../../address/base.ts'
import { inPageWords } from '../../api/page-words.ts'
import { attempt } from '../../ui/action.ts'
import { Button, LinkButton } from '../../ui/button.tsx'
import { submit } from '../../ui/form/form.tsx'
import { assignProblems } from '../../ui/form/assign-problems.ts'
import { useForm } from '../../ui/form/use-form.ts'
import { Page } from '../../ui/page.tsx'
import { toast } from '../../ui/toast.ts'
import type { SuggestedTarget } from '../../what-if/suggest-target.ts'
import { bodyOf, type Draft, suggestedChange } from './draft.ts'
import { Fields, KindField } from './fields.tsx'
import type { Form } from './form-state.ts'
import { emptyPicks } from './picks/picks.ts'
import { PreviewPane } from './preview/preview-pane.tsx'
import { usePreview } from '../../slo/use-preview.ts'
import { isElsewhere, Problems } from './problems.tsx'
import { WhatChanges } from './save/changes.tsx'
import { Conflict, type Conflicting } from './save/conflict.tsx'
import { deleteStoredDraft, storeDraft } from './save/stored-draft.ts'
import { missingOf } from './save/missing.ts'
import {
  type AlertingSettings,
  changedSince,
  changeSlo,
  createForEach,
  createSlo,
  type Request,
  type Saved,
  undoOf,
} from './save/save.ts'
import { chosenValues, groupedBy } from './fields/for-each.tsx'
import { Suggestions } from './suggestions/suggestions.tsx'
import { MainFigure } from './main-figure.tsx'
import { changedSinceText, createdText, createLabel, notUndoneText, refusedSentence, undoneText } from './words.ts'
import { editLabel, savedText } from '../../ui/named-words.ts'

type Props = {
  /** SLO to edit; null: a new one. */
  slo: Slo | null
  /** Draft without any change. */
  initial: Draft
  /** Content of the form when it opens: `initial`, or the draft stored in the tab. */
  startingDraft: Draft
  storedAlerting: AlertingSettings
  sources: readonly Source[]
  /** Opens the form again, with the stored SLO (null) or with this draft. */
  onReload?: (draft: Draft | null) => Promise<void>
  /** Draws a note above the fields about the origin of the draft; `start` puts a draft into the form. */
  note?: (start: (draft: Draft) => void) => ComponentChildren
}

/** The form with its live preview. */
export function Editor({ slo, initial, startingDraft, storedAlerting, sources, note, onReload }: Props) {
  const { route } = useLocation()
  const [conflict, setConflict] = useState<Conflicting | null>(null)
  const [suggestion, setSuggestion] = useState<SuggestedTarget | null>(null)
  const isSaved = useRef(false)
  const { draft, set, run, isBusy, refused, clear, element } = useForm({
    initial: startingDraft,
    check: missingOf,
    // `forced`: without a check of the queries; `over`: over changes that somebody else has saved
    async send(draft, how: 'forced' | 'over' | undefined) {
      if (each) return doneForEach(await createForEach(draft, each))
      const isForced = how === 'forced'
      const isOver = how === 'over'
      const conflicting = slo && !isOver ? await changedSince(slo) : null
      if (conflicting) return setConflict(conflicting)
      // only what differs from the SLO as it was opened is sent, so that the other changes of somebody else stay
      done(slo ? await changeSlo(slo, draft, storedAlerting, isForced) : await createSlo(draft, isForced))
      const replaced = (isOver && conflict?.slo) || slo // as it was stored before
      if (slo && replaced) await offerUndo(slo.id, undoOf(slo, draft, storedAlerting, replaced))
      return undefined
    },
  })
  const body = useMemo(() => bodyOf(draft), [draft])
  const reading = usePreview(body)
  const id = slo?.id ?? null
  const isChanged = JSON.stringify(draft) !== JSON.stringify(initial)

  // Stored before the next frame, so that a tab that is closed at once has the draft.
  useLayoutEffect(() => {
    if (isSaved.current) return
    if (isChanged) storeDraft(id, draft, slo?.updated_at ?? null)
    else deleteStoredDraft(id)
  }, [draft])

  const change = useCallback((changes: Partial<Draft>) => {
    set(changes)
    clear()
  }, [])
  const source = sources.find(({ is_default }) => is_default)
  const found: readonly ApiProblem[] = refused ? refused.problems : reading.problems
  // for a new SLO, `several_series_by` is shown as the choice of `ForEach`
  const problems = slo ? found : found.filter(({ code }) => code !== 'several_series_by')
  const show: Form['show'] = (shown) =>
    shown.length > 0 ? <Problems problems={shown} draft={draft} onFix={change} /> : undefined
  const { problemsOf } = assignProblems({ problems })
  const form: Form = {
    draft,
    problemsOf,
    change,
    pick: (kind, changes) => change({ picks: { ...draft.picks, [kind]: { ...draft.picks[kind], ...changes } } }),
    sourceId: draft.sourceId ?? source?.id ?? 0,
    problems,
    show,
    problemsAt: (...fields) => show(problemsOf(...fields)),
  }
  const isEmpty = JSON.stringify(draft.picks[draft.kind]) === JSON.stringify(emptyPicks[draft.kind])
  const cause = refused?.cause === undefined ? undefined : asApiError(refused.cause)
  const grouped = slo === null ? groupedBy(reading.problems) : null
  const each = chosenValues(draft, grouped)

  const leave = (path: string, errors: readonly string[]) => {
    isSaved.current = true
    deleteStoredDraft(id)
    reread()
    route(link(path))
    for (const text of errors) toast(text, { isProblem: true })
  }
  const doneForEach = ({ ids, errors }: { ids: number[]; errors: string[] }) => {
    leave(`/?${new URLSearchParams({ label: each?.label ?? '' })}`, errors)
    toast(createdText(ids.length), {
      undo: () =>
        void attempt(() => send('POST', '/slos/bulk', { body: { action: 'delete', ids } }), {
          failed: 'Not undone.',
          ended: () => invalidate('/slos'),
        }),
    })
  }
  const done = (saved: Saved) => {
    leave(`/slos/${saved.id}`, saved.errors)
    if (saved.warnings[0] !== undefined) toast(inPageWords(saved.warnings[0]))
  }
  const cancel = () => {
    if (isChanged)
      toast('Your draft is kept in this tab.', {
        undo: () => route(link(id === null ? '/slos/new' : `/slos/${id}/edit`)),
      })
  }
  const maySkipCheck =
    cause !== undefined &&
    missingOf(draft) === undefined &&
    (cause.status >= 500 || cause.problems.some(({ field }) => field.endsWith('_query')))
  return (
    <Page
      title={slo ? editLabel(slo.name) : 'New SLO'}
      class="slo-form"
      crumbs={[['/', 'Overview'], ...(slo ? ([[`/slos/${slo.id}`, slo.name]] as const) : [])]}
      form={{ ref: element, onSubmit: (event) => submit(event, { run, isBusy }, whyNot('edit')) }}
    >
      <div class="form-notes">
        {note?.(change)}
        {conflict && slo && (
          <Conflict
            slo={slo}
            draft={draft}
            conflict={conflict}
            onLoad={() =>
              void attempt(async () => onReload?.(null), {
                done: 'That version is loaded.',
                undo: () => void attempt(async () => onReload?.(draft), { failed: 'Not undone.' }),
                failed: 'Not loaded.',
              })
            }
            onSave={() => {
              setConflict(null)
              run('over')
            }}
          />
        )}
        {cause && (found.length === 0 || problems.some(isElsewhere)) && (
          <p class="refused problem" role="alert">
            {refusedSentence(cause)}
          </p>
        )}
      </div>
      <div class="form-kind">
        <KindField form={form} />
      </div>
      <div class="form-fields">
        {slo === null && isEmpty && form.sourceId !== 0 && (
          <Suggestions
            sourceId={form.sourceId}
            kind={draft.kind}
            onUse={(suggestion) => change(suggestedChange(suggestion))}
          />
        )}
        <Fields {...{ form, sources, suggestion, grouped }} rules={storedAlerting.rules} isEdited={slo !== null} />
      </div>
      <div class="form-live">
        {slo && <WhatChanges slo={slo} draft={draft} storedAlerting={storedAlerting} sources={sources} />}
        <PreviewPane
          reading={reading}
          draft={body}
          tiers={draft.tiers}
          onUse={({ target, time_window }) =>
            change({
              ...(target !== undefined && { target: String(target) }),
              ...(time_window !== undefined && { window: time_window }),
            })
          }
          onSuggestion={setSuggestion}
        />
      </div>
      <div class="form-bar">
        <MainFigure reading={reading} />
        {maySkipCheck && (
          <Button isBusy={isBusy} onClick={() => run('forced')}>
            Save without checking the query
          </Button>
        )}
        <span class="cancel" onClick={cancel}>
          <LinkButton href={link(id === null ? '/' : `/slos/${id}`)}>Cancel</LinkButton>
        </span>
        <Button kind="primary" type="submit" isBusy={isBusy} unavailable={whyNot('edit')}>
          {slo ? 'Save' : each ? createLabel(each.values.length) : 'Create SLO'}
        </Button>
      </div>
    </Page>
  )
}

function reread(): void {
  for (const path of ['/slos', '/incidents', '/notifications/rules']) invalidate(path)
}

/** Shows that an SLO was saved, with a button that puts back what the edit changed, unless somebody has changed the SLO since. */
async function offerUndo(id: number, requests: readonly Request[]): Promise<void> {
  if (requests.length === 0) return
  const saved = await send<Slo>('GET', `/slos/${id}`).catch(() => null)
  if (saved) toast(savedText(saved.name), { undo: () => void undo(saved, requests) })
}

async function undo(saved: Slo, requests: readonly Request[]): Promise<void> {
  const work = async () => {
    const conflicting = await changedSince(saved)
    if (conflicting) {
      return toast(changedSinceText(saved.name, conflicting.by), { isProblem: true })
    }
    for (const { path, body } of requests) await send('PUT', path, { body })
    toast(undoneText(saved.name))
  }
  await attempt(work, { failed: notUndoneText(saved.name), ended: reread })
}
