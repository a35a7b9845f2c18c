import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { CodeEditor } from './code-editor.ts'

type Props = {
  value: string
  /** Called at each change. */
  onChange: (value: string) => void
  /** Source whose metrics and labels are offered for completion; null: only functions are. */
  sourceId: number | null
  /** Accessible name of the field; the page adds a visible label if needed. */
  label: string
  /**
   * Problems that the server reports about the query: read out, and marked if the message names a position. The page shows
   * them.
   */
  problems?: readonly { message: string }[]
  /** Called at Ctrl+Enter or Cmd+Enter. */
  onRun?: () => void
  minLines?: number
  isReadOnly?: boolean
  /** Placeholder text of the empty field. */
  hint?: string
  /** Set to the actions on the field while it is mounted. */
  control?: { current: EditorControl | null }
}

export type EditorControl = {
  /** Replaces the selection with a text, and focuses the field. */
  insert: (text: string) => void
  focus: () => void
}

const none: readonly { message: string }[] = []
const lineHeightPx = 20
const paddingPx = 16

/**
 * A field for PromQL with highlighting, completion from a source, and checks while typing. It is a plain text area until the
 * code of the editor is loaded, and stays one if that fails. Tab leaves the field.
 */
export function PromqlEditor(props: Props) {
  const { value, onChange, sourceId, label, problems = none, onRun, minLines = 2, isReadOnly = false, control } = props
  const { hint = '' } = props
  const host = useRef<HTMLDivElement>(null)
  const plain = useRef<HTMLTextAreaElement>(null)
  const editor = useRef<CodeEditor | null>(null)
  const [isReady, setReady] = useState(false)
  const latest = useRef({ value, onChange, sourceId, label, problems, onRun, isReadOnly, hint })
  latest.current = { value, onChange, sourceId, label, problems, onRun, isReadOnly, hint }

  useEffect(() => {
    let isGone = false
    const open = async () => {
      const code = await import('./code-editor.ts').catch(() => null) // the plain field stays
      if (isGone || !code || !host.current) return
      const area = plain.current
      const caret = area && document.activeElement === area ? area.selectionEnd : null
      editor.current = code.openEditor(host.current, latest)
      setReady(true)
      if (caret !== null) requestAnimationFrame(() => editor.current?.focus(caret)) // after it is shown
    }
    void open()
    return () => {
      isGone = true
      editor.current?.destroy()
      editor.current = null
    }
  }, [])
  useLayoutEffect(() => editor.current?.update(), [value, sourceId, label, problems, isReadOnly, hint, isReady])
  useEffect(() => {
    if (!control) return
    control.current = {
      insert: (text) => (editor.current ? editor.current.insert(text) : insertPlainly(plain.current, text, onChange)),
      focus: () => (editor.current ? editor.current.focus() : plain.current?.focus()),
    }
    return () => void (control.current = null)
  }, [control, onChange])

  return (
    <div class="promql-editor" style={{ minHeight: `${minLines * lineHeightPx + paddingPx}px` }}>
      {!isReady && (
        <textarea
          ref={plain}
          class="input"
          aria-label={label}
          aria-invalid={problems.length > 0 || undefined}
          rows={Math.max(minLines, value.split('\n').length)}
          placeholder={hint}
          spellcheck={false}
          readOnly={isReadOnly}
          value={value}
          onInput={(event) => onChange(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || !onRun) return
            event.preventDefault()
            onRun()
          }}
        />
      )}
      <div ref={host} class="promql-editor-host" hidden={!isReady} />
    </div>
  )
}

function insertPlainly(area: HTMLTextAreaElement | null, text: string, onChange: (value: string) => void): void {
  if (!area) return
  area.setRangeText(text, area.selectionStart, area.selectionEnd, 'end')
  area.focus()
  onChange(area.value)
}
