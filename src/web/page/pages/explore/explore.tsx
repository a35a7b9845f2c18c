import { useLocation } from 'preact-iso/router'
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Source } from '../../api/types.ts'
import { useRead } from '../../api/use-read.ts'
import type { Zoom } from '../../charts/plot-types.ts'
import { link } from '../../address/base.ts'
import { now } from '../../clock.ts'
import { Button } from '../../ui/button.tsx'
import { copyLink } from '../../ui/copy.tsx'
import { Form } from '../../ui/form/form.tsx'
import { Page } from '../../ui/page.tsx'
import {
  type ExploreAddress,
  explorePath,
  letterOf,
  maxQueries,
  readAddress,
  withAddressTimes,
} from '../../address/explore.ts'
import { Controls } from './controls.tsx'
import { QueryCard } from './query-card.tsx'
import { sizeOf } from './answer.ts'
import { readSpan } from '../../address/time-text.ts'
import { type Outcome, type SourceQuery, useAnswers } from './use-answers.ts'
import { spokenSentence } from './words.ts'

/**
 * Page for ad-hoc queries to any source. The address has the queries shown; typed text enters it when queries are run, zoomed, hidden,
 * removed or restyled.
 */
export function ExplorePage() {
  const { url, route } = useLocation()
  const sources = useRead<{ sources: Source[] }>('/tsdb/sources')
  const all = sources.value.value?.sources
  const address = useMemo(() => readAddress(url), [url])
  const [draft, setDraft] = useState(address)
  const [run, setRun] = useState(0)
  const [earlier, setEarlier] = useState<readonly TimeRange[]>([])
  const cards = useCards(draft.queries.length)
  const addButtonBox = useRef<HTMLDivElement>(null)
  useEffect(() => setEarlier((before) => upTo(before, address)), [address.from, address.to])
  useEffect(() => setDraft((draft) => (explorePath(draft) === explorePath(address) ? draft : address)), [address])

  const sourceId = address.source ?? all?.find(({ is_default: isDefault }) => isDefault)?.id ?? all?.[0]?.id ?? null
  const span = useMemo(() => readSpan(address, now()), [address.from, address.to, address.step, run])
  const draftSpan = readSpan(draft, now())
  const sourceQueries = address.queries.map(({ text, isHidden }): SourceQuery | null =>
    sourceId === null || 'field' in span || isHidden || text.trim() === ''
      ? null
      : { source: sourceId, text, span, view: address.view },
  )
  const answers = useAnswers(
    sourceQueries.filter((one) => one !== null),
    run,
  )

  const show = (change: Partial<ExploreAddress> = {}) => {
    const next = withAddressTimes({ ...draft, ...change }, now())
    setDraft(next)
    if (explorePath(next) !== explorePath(address)) route(link(explorePath(next)))
  }
  const runAll = () => {
    setRun(run + 1)
    show()
  }
  const changeQuery = (at: number, change: Partial<ExploreAddress['queries'][number]>) => ({
    queries: draft.queries.map((query, index) => (index === at ? { ...query, ...change } : query)),
  })
  const back = earlier.at(-1)
  const zoom: Zoom = (to) => {
    if (to === null) return back && show(back)
    setEarlier([...earlier, { from: address.from, to: address.to }])
    show({ from: String(Math.round(to.fromMs)), to: String(Math.round(to.toMs)) })
  }
  const latestZoom = useRef(zoom)
  latestZoom.current = zoom
  const onZoom = useCallback<Zoom>((to) => latestZoom.current(to), [])
  const share = () => {
    const fixed =
      'field' in span ? {} : { from: String(span.fromSeconds * 1000), to: String(Math.round(span.toSeconds * 1000)) }
    void copyLink(new URL(link(explorePath({ ...address, source: sourceId, ...fixed })), location.href).href)
  }
  return (
    <Page
      title="Explore"
      class="explore"
      actions={
        <>
          <Button kind="quiet" icon="link" onClick={share}>
            Copy link
          </Button>
          {answers.isRunning ? (
            <Button icon="x" onClick={answers.cancel}>
              Cancel
            </Button>
          ) : (
            <Button kind="primary" icon="play" title="Ctrl Enter" onClick={runAll}>
              Run
            </Button>
          )}
        </>
      }
      read={sources}
    >
      <Form of={{ run: runAll, isBusy: false }} action="Run" look="hidden">
        <Controls
          address={draft}
          sources={all ?? []}
          sourceId={draft.source ?? sourceId}
          problem={'field' in draftSpan ? draftSpan : null}
          onChange={(change) => setDraft({ ...draft, ...change })}
          onRun={show}
          earlier={back ?? null}
        />
      </Form>
      <p class="hidden-text" role="status">
        {answers.isRunning ? '' : spoken(sourceQueries.map((one) => one && answers.of(one)))}
      </p>
      {draft.queries.map(({ text, isHidden, isStacked, unit }, at) => {
        const sourceQuery = sourceQueries[at] ?? null
        return (
          <QueryCard
            key={cards.ids[at]}
            at={at}
            isNew={cards.ids[at] === cards.added.current}
            text={text}
            isHidden={isHidden}
            look={{ isStacked, unit }}
            sourceId={sourceId}
            sent={sourceQuery && { sourceQuery, outcome: answers.of(sourceQuery) }}
            onText={(text) => setDraft((draft) => ({ ...draft, ...changedText(draft, at, text) }))}
            onQuery={(text) => show(changeQuery(at, { text }))}
            onLook={(look) => show(changeQuery(at, look))}
            onHide={() => show(changeQuery(at, { isHidden: !isHidden }))}
            onRemove={
              draft.queries.length > 1
                ? () => {
                    cards.remove(at)
                    show({ queries: draft.queries.filter((_, index) => index !== at) })
                    addButtonBox.current?.querySelector('button')?.focus()
                  }
                : undefined
            }
            onRun={runAll}
            onZoom={onZoom}
          />
        )
      })}
      {address.queries.every(({ text }) => text.trim() === '') && (
        <p class="muted">
          {all?.length === 0 ? (
            <>
              There is no source to ask. <a href={link('/collect/sources')}>Add one</a>
            </>
          ) : (
            'Ctrl Enter runs a query. Metrics lists what the source has.'
          )}
        </p>
      )}
      {draft.queries.length < maxQueries && (
        <div ref={addButtonBox}>
          <Button
            icon="plus"
            onClick={() => {
              cards.add()
              setDraft({ ...draft, queries: [...draft.queries, { text: '', isHidden: false }] })
            }}
          >
            Add a query
          </Button>
        </div>
      )}
    </Page>
  )
}

type TimeRange = Pick<ExploreAddress, 'from' | 'to'>

/** Ranges to which Back leads from a range: the earlier ones up to it, or all if it is not among them. */
function upTo(earlier: readonly TimeRange[], { from, to }: TimeRange): readonly TimeRange[] {
  const at = earlier.findIndex((range) => range.from === from && range.to === to)
  return at < 0 ? earlier : earlier.slice(0, at)
}

/**
 * Keys of the query cards; a key stays with its card when an earlier card is removed. `added`: key of the card that the user
 * added last.
 */
function useCards(count: number) {
  const ids = useRef<number[]>([])
  const next = useRef(0)
  const added = useRef<number | null>(null)
  while (ids.current.length < count) ids.current.push(next.current++)
  ids.current.length = count
  return {
    ids: ids.current,
    added,
    add: () => (added.current = next.current),
    remove: (at: number) => ids.current.splice(at, 1),
  }
}

function changedText(draft: ExploreAddress, at: number, text: string): Pick<ExploreAddress, 'queries'> {
  return { queries: draft.queries.map((query, index) => (index === at ? { ...query, text } : query)) }
}

/** Outcome of the queries for screen readers: `A: 6 series. B: failed.` */
function spoken(outcomes: readonly (Outcome | null)[]): string {
  const sentences = outcomes.flatMap((outcome, at) => {
    if (outcome?.state === 'failed') return [spokenSentence(letterOf(at), null)]
    return outcome?.state === 'answered' ? [spokenSentence(letterOf(at), sizeOf(outcome.answered.data).series)] : []
  })
  return sentences.join(' ')
}
