import { useEffect, useMemo, useRef } from 'preact/hooks'
import { type EditorControl, PromqlEditor } from '../../editor/promql-editor.tsx'
import type { Zoom } from '../../charts/plot-types.ts'
import { link } from '../../address/base.ts'
import { formatMoment } from '../../format.ts'
import { IconButton, LinkButton } from '../../ui/button.tsx'
import { Skeleton } from '../../ui/read.tsx'
import { nowMs } from '../../ui/time.tsx'
import { newSloPath } from '../../address/new-slo.ts'
import { sizeOf } from './answer.ts'
import { letterOf } from '../../address/explore.ts'
import type { Drill } from './drill.tsx'
import { type Look, QueryGraph } from './graph/graph.tsx'
import { MetricBrowser } from './metric-browser.tsx'
import { QueryTable } from './table/table.tsx'
import type { Outcome, SourceQuery } from './use-answers.ts'
import { answerWords, hideLabel, noSeriesAtSentence, queryLabel, removeQueryLabel } from './words.ts'

type Props = {
  at: number
  text: string
  isHidden: boolean
  look: Look
  sourceId: number | null
  /** Query that was sent last, and its outcome; null if none is sent: it is empty or hidden, or there is no source or valid range. */
  sent: { sourceQuery: SourceQuery; outcome: Outcome } | null
  /** True if the card is focused when it appears. */
  isNew: boolean
  onText: (text: string) => void
  /** Changes the query and runs it. */
  onQuery: (text: string) => void
  onLook: (look: Look) => void
  onHide: () => void
  /** Undefined if it is the only query. */
  onRemove: (() => void) | undefined
  onRun: () => void
  onZoom: Zoom
}

/** Query with its editor and its result. */
export function QueryCard(props: Props) {
  const { at, text, isHidden, look, sourceId, sent, isNew, onText, onHide, onRemove, onRun, onZoom } = props
  const letter = letterOf(at)
  const control = useRef<EditorControl | null>(null)
  const problems = useProblems(sent, text)
  const { sourceQuery, outcome } = sent ?? {}
  const latest = useRef(props)
  latest.current = props
  const result = useMemo(() => {
    const onQuery = (text: string) => {
      latest.current.onQuery(text)
      control.current?.focus() // the row that had the focus may be gone with the answer
    }
    const onLook = (look: Look) => latest.current.onLook(look)
    return sent && <Result {...{ letter, sent, look, onQuery, onLook, onZoom }} />
  }, [
    outcome,
    sourceQuery?.text,
    sourceQuery?.source,
    sourceQuery?.span,
    sourceQuery?.view,
    look.isStacked,
    look.unit,
    letter,
    onZoom,
  ]) // not rendered again at each keystroke
  useEffect(() => {
    if (isNew) control.current?.focus()
  }, [])
  return (
    <section class={`card explore-query${isHidden ? ' off' : ''}`} aria-label={queryLabel(letter)}>
      <div class="explore-editor">
        <span class="explore-letter" aria-hidden="true">
          {letter}
        </span>
        <PromqlEditor
          value={text}
          onChange={onText}
          sourceId={sourceId}
          label={queryLabel(letter)}
          problems={problems}
          onRun={onRun}
          control={control}
          hint="PromQL, such as sum(rate(http_requests_total[5m]))"
        />
        <div class="tools">
          {sourceId !== null && (
            <MetricBrowser sourceId={sourceId} onChoose={(name) => control.current?.insert(name)} />
          )}
          <IconButton
            small
            icon={isHidden ? 'eye-off' : 'eye'}
            label={hideLabel(letter, isHidden)}
            aria-pressed={isHidden}
            onClick={onHide}
          />
          {onRemove && <IconButton small icon="trash-2" label={removeQueryLabel(letter)} onClick={onRemove} />}
        </div>
      </div>
      {result}
    </section>
  )
}

const none: readonly { message: string }[] = []

/** Error of the source about the query, while the text is the one that was sent. */
function useProblems(sent: Props['sent'], text: string): readonly { message: string }[] {
  const last = useRef(none)
  const error = sent?.outcome.state === 'failed' && sent.sourceQuery.text === text ? sent.outcome.error : null
  const message = error && (error.details ?? error.message)
  if (message === null) return none
  if (last.current[0]?.message !== message) last.current = [{ message }]
  return last.current
}

type ResultProps = Pick<Props, 'look' | 'onLook' | 'onZoom'> &
  Pick<Drill, 'onQuery'> & { letter: string; sent: NonNullable<Props['sent']> }

function Result({ letter, sent, look, onQuery, onLook, onZoom }: ResultProps) {
  const lastEnded = useRef<NonNullable<Props['sent']> | null>(null)
  const { outcome, sourceQuery } = sent
  if (outcome.state === 'answered' || outcome.state === 'failed') lastEnded.current = sent
  if (outcome.state === 'cancelled') return <p class="muted">Cancelled.</p>
  const shown = outcome.state === 'running' ? lastEnded.current : sent
  if (shown === null || shown.sourceQuery.view !== sourceQuery.view) return <Skeleton heightPx={heightPx} />
  if (shown.outcome.state === 'failed') {
    const { message, details } = shown.outcome.error
    return (
      <p class="explore-error" role="alert">
        <strong>{message}</strong> {details}
      </p>
    )
  }
  if (shown.outcome.state !== 'answered') return null
  const { answered: answer, tookMs } = shown.outcome
  const { series, samples } = sizeOf(answer.data)
  const { source, text, span, view } = shown.sourceQuery
  const drill: Drill = { query: text, source, onQuery }
  return (
    <div class={`explore-result${outcome.state === 'running' ? ' is-read-again' : ''}`}>
      <Remarks of={answer.warnings} kind="warning" />
      <Remarks of={answer.infos} kind="info" />
      {series === 0 ? (
        <p class="explore-nothing">
          {view === 'table'
            ? noSeriesAtSentence(formatMoment(span.toSeconds * 1000, nowMs.peek()))
            : 'No series in this range.'}{' '}
          <span class="muted">Check the name of the metric, its labels and the range.</span>
        </p>
      ) : view === 'table' ? (
        <QueryTable letter={letter} data={answer.data} drill={drill} />
      ) : (
        <QueryGraph {...{ letter, data: answer.data, span, look, drill, onLook, onZoom }} />
      )}
      <footer>
        <span class="muted">{answerWords(series, samples, tookMs)}</span>
        {answer.data.resultType !== 'string' && (
          <LinkButton
            small
            kind="quiet"
            icon="trending-up"
            href={link(newSloPath({ kind: 'promql', source, query: text }))}
          >
            Make an SLO of this
          </LinkButton>
        )}
      </footer>
    </div>
  )
}

const heightPx = 280

function Remarks({ of: texts = [], kind }: { of: readonly string[] | undefined; kind: 'warning' | 'info' }) {
  if (texts.length === 0) return null
  return (
    <ul class={`explore-remarks ${kind}`} aria-label={kind === 'warning' ? 'Warnings' : 'Remarks'}>
      {texts.map((text) => (
        <li key={text}>{text}</li>
      ))}
    </ul>
  )
}
